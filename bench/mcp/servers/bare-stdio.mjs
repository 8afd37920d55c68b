// A minimal process: starts, and answers the first line with a constant.
process.stdin.once("data", () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n'));
