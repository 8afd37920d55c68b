import { readFileSync } from "node:fs";
export function readVectors(name) {
    return JSON.parse(readFileSync(new URL(`data/${name}.golden.json`, import.meta.url), "utf8"));
}
/** Makes the call that make-vectors.py made of the same words. */
export function perform(random, call) {
    switch (call[0]) {
        case "random":
        case "nextUint32":
        case "standardNormal":
            return random[call[0]]();
        case "nextUint64":
            return String(random.nextUint64());
        case "normal":
        case "uniform":
            return random[call[0]](call[1], call[2]);
        case "integers":
            return random.integers(call[1], call[2], { endpoint: call[3] });
        case "bigIntegers":
            return String(random.integers(BigInt(call[1]), BigInt(call[2]), { endpoint: call[3] }));
        case "choice":
            return random.choice(call[1], call[2]);
        case "shuffle":
            return shuffled(random, call[1]);
        case "permutation":
            return random.permutation(call[1]);
        case "categorical":
            return random.categorical(call[1]);
        default:
            return Array.from({ length: call[1] }, () => perform(random, call[2]));
    }
}
function shuffled(random, count) {
    const list = [...Array(count).keys()];
    random.shuffle(list);
    return list;
}
