//! The program `xray`.

mod allocator;

use allocator::Announcing;

#[global_allocator]
static ALLOCATOR: Announcing = Announcing;

fn main() -> std::process::ExitCode {
    xray_cli::main()
}
