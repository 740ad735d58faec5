//! Programs of others that ask the server.
