/** How nodes of a cluster reach each other with TLS, and how machines join. */

/** Makes and reads what a new machine joins with. */
export { type JoinToken, readJoinToken } from './join-token.ts';
export { createJoin, joinRoutes } from './joins.ts';
/** Connects the database hosts of nodes over TLS. */
export { NodeLinks } from './links.ts';
/** Where the database hosts of a node are. */
export { findHostsAddress, readNetwork } from './loopback.ts';
/** The key of this node. */
export { readNodeKey } from './node-key.ts';
