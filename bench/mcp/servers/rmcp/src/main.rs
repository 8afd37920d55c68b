//! rmcp: `session`, or `stateless` with plain JSON responses.
use std::io::{BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rmcp::handler::server::{router::tool::ToolRouter, wrapper::Parameters};
use rmcp::model::{ServerCapabilities, ServerInfo};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use rmcp::{Json, ServerHandler, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Numbers {
    a: i64,
    b: i64,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Answer {
    sum: i64,
}

#[derive(Clone)]
struct Bench {
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Bench {
    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Numbers { a, b }): Parameters<Numbers>) -> Json<Answer> {
        Json(Answer { sum: a + b })
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerInfo {
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main]
async fn main() {
    let is_stateless = std::env::args().nth(1).as_deref() == Some("stateless");
    let config = StreamableHttpServerConfig::default()
        .with_stateful_mode(!is_stateless)
        .with_json_response(is_stateless);
    // The routes are made once: every session and every stateless request gets a copy.
    let bench = Bench { tool_router: Bench::tool_router() };
    let service =
        StreamableHttpService::new(move || Ok(bench.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || control(port));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.unwrap();
}

/// Reports the port to the Node process that started this one, and the CPU time on request. Node's channel is lines of
/// JSON on a descriptor.
fn control(port: u16) {
    let descriptor = std::env::var("NODE_CHANNEL_FD").expect("start this program with npm run bench:mcp");
    let mut channel = unsafe { UnixStream::from_raw_fd(descriptor.parse().unwrap()) };
    let lines = BufReader::new(channel.try_clone().unwrap()).lines();
    writeln!(channel, "{{\"port\":{port}}}").unwrap();
    for _ in lines.map_while(Result::ok) {
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
        let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
        let (user, system) = (micros(usage.ru_utime), micros(usage.ru_stime));
        writeln!(channel, "{{\"cpu\":{{\"user\":{user},\"system\":{system}}}}}").unwrap();
    }
    std::process::exit(0);
}
