//! The program `xray`.

fn main() -> std::process::ExitCode {
    xray_cli::main()
}
