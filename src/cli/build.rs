//! The demonstration site is part of the program.

fn main() {
    println!("cargo:rerun-if-changed=../../datasets/demo-site");
}
