//! Agents that find each other in a shared folder, hand over what is others', and take over the silent.
//!
//! **What.** Several crawlers (*agents*) work on one crawl. Each has a crawl folder of its own; in the shared folder they say that
//! they are there, agree who belongs to the crawl, and leave for each other URLs, hosts and all that is needed to go on
//! without them. Which host is whose follows from consistent hashing ([`crate::agents::Ring`]) of the agents that belong.
//!
//! | in the shared folder | what |
//! |---|---|
//! | `views/000007.json` | who belongs to the crawl, seventh version ([`View`]); made once, by whoever is first |
//! | `NAME/heartbeat.json` | an agent's sign of life and how far it is ([`Heartbeat`]) |
//! | `NAME/3/inbox/…` | lines for its third life, removed once they are in its frontier |
//! | `NAME/3/log/…` | all that it queued and did in its third life |
//!
//! **Never two on a host.** An agent that adopts a view asks for no more of the hosts that it lost, hands them over with what waits
//! and what is done, and then says so (`acked`). It asks for hosts that it gained only when all agents of the view have
//! said so and it has read all that they left. A view follows only when the living have acknowledged the one before. Who has
//! been silent for twice the timeout is left out of the next view: by then its own *lease* is over, since an agent that could
//! not give a sign of life for one timeout asks for nothing until it has, waited another timeout, and still belongs.
//! Silence is measured by whoever listens, on its own clock; clocks need not agree. Who finds itself left out forgets what
//! waits, for others have it, and joins again with a new life: hosts come back to it by a view, as to anybody who joins.
//!
//! **Nothing is lost or done twice.** What an agent queues and does is in its log before its frontier is committed. The heirs of a
//! silent agent read its log and its inbox: what is done there is known to be done, what waits is queued. URLs of others are
//! handed over before the page that names them counts as done. All of this may be repeated without harm.
//!
//! **The end.** All agents are idle and all inboxes empty, looked at twice with no activity in between.
//!
//! **Cost.** A file a commit for each agent that gets URLs; about 150 bytes of log a URL. **Bounds.** A line is at most 64 KiB; foreign lines
//! that are none are passed over and counted.
//!
//! **Reference.** Boldi et al. (UbiCrawler), doi:10.1002/spe.587; Gray and Cheriton (leases), doi:10.1145/74850.74870.

mod folder;
mod lease;
mod lines;
mod membership;
mod outgoing;
mod peers;
mod proposal;
mod take_over;

pub use folder::{Heartbeat, Member, View, check_name, default_name};
pub use lines::{LineOf, read_lines};
pub(crate) use lines::{push_done, push_entry, push_url};
pub use membership::{Exchange, Next, Standing};
pub use take_over::Import;
