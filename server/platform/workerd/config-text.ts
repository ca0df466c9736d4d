import { DATABASE_HEADERS, EGRESS_HEADERS, formatSizes } from '../../../workers/protocol.ts';
import { parseBlock } from '../../lib/addresses.ts';

/** Writes workerd configurations. Nothing that a user wrote is put into them: code and secrets are embedded by file name. */

/** A text that is ours: names and paths of plain characters. Anything else is a mistake in the program. */
function quoted(text: string): string {
  if (!/^[\w ./:=@+[\]-]*$/.test(text))
    throw new Error(`not a plain configuration text: ${JSON.stringify(text)}`);
  return `"${text}"`;
}

interface CellConfig {
  /** Where the sockets are to be made. */
  socketFolder: string;
  egressSocket: string;
  /** The cell's name there. */
  egressKey: string;
  /** The database to bind as `env.DB`, and the socket of its host. */
  database?: { socket: string; name: string; owner: string; key: string } | undefined;
  /** Names of secrets; the value of each is in the file of its name. */
  secrets: string[];
  heapMegabytes: number;
}

const COMPATIBILITY_DATE = '2026-10-01';

/** A cell: the owner's module behind our shim, on a socket of its own, with one way out. */
export function cellConfig(config: CellConfig): string {
  const { database } = config;
  const bindings = config.secrets.map(
    (name) => `(name = ${quoted(name)}, text = embed ${quoted(`secret-${name}`)})`,
  );
  if (database) {
    bindings.push(
      '(name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "database")]))',
    );
  }
  const databaseService = database
    ? `(name = "database", external = (address = ${quoted(`unix:${database.socket}`)}, http = (injectRequestHeaders = [
      (name = "${DATABASE_HEADERS.database}", value = ${quoted(database.name)}),
      (name = "${DATABASE_HEADERS.owner}", value = ${quoted(database.owner)}),
      (name = "${DATABASE_HEADERS.key}", value = ${quoted(database.key)})]))),`
    : '';
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${databaseService}
    (name = "internet", external = (address = ${quoted(`unix:${config.egressSocket}`)}, http = (style = proxy, injectRequestHeaders = [
      (name = "${EGRESS_HEADERS.cell}", value = ${quoted(config.egressKey)})])))
  ],
  sockets = [
    (name = "http", address = ${quoted(`unix:${config.socketFolder}/http`)}, http = (), service = "main"),
    (name = "probe", address = ${quoted(`unix:${config.socketFolder}/probe`)}, http = (), service = (name = "main", entrypoint = "Probe"))
  ],
  v8Flags = [${quoted(`--max-old-space-size=${config.heapMegabytes}`)}],
  logging = (structuredLogging = true)
);
const worker :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  modules = [
    (name = "quire-shim.js", esModule = embed "quire-shim.js"),
    (name = "function.js", esModule = embed "function.js")
  ],
  bindings = [${bindings.join(', ')}]
);
`;
}

/** Several times the largest answer. Whoever asks a host for more only ends it for a moment, and for themselves. */
const HOST_HEAP_MEGABYTES = 512;
/** A shard holds databases of many, and whoever fills its memory ends it for all of them. */
const CLUSTER_HOST_HEAP_MEGABYTES = 2048;

/** Without it a worker could reach the network, and workerd would look for certificates, which are not in the box. */
const NO_INTERNET = '(name = "internet", network = (allow = []))';

/** A database host: one Durable Object per database, on local disk. */
export function databaseHostConfig(config: {
  socket: string;
  dataFolder: string;
  key: string;
  /** What its databases may take up together, and what each does on disk. */
  limitBytes: number;
  sizes: Map<string, number>;
}): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${NO_INTERNET},
    (name = "disk", disk = (path = ${quoted(config.dataFolder)}, writable = true))
  ],
  sockets = [(name = "http", address = ${quoted(`unix:${config.socket}`)}, http = (), service = "main")],
  v8Flags = [${quoted(`--max-old-space-size=${HOST_HEAP_MEGABYTES}`)}]
);
const worker :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  modules = [(name = "database-host.js", esModule = embed "database-host.js")],
  durableObjectNamespaces = [(className = "Database", uniqueKey = "quire-database", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "DATABASES", durableObjectNamespace = "Database"),
    (name = "KEY", text = ${quoted(config.key)}),
    (name = "LIMIT", text = ${quoted(String(config.limitBytes))}),
    (name = "SIZES", text = ${quoted(formatSizes(config.sizes))})
  ]
);
`;
}

/**
 * A database host of a cluster: as above, but its databases are in a bucket, at one node at a time. The key to the
 * bucket is in the environment.
 */
export function clusterHostConfig(config: {
  socket: string;
  dataFolder: string;
  key: string;
  /** Where the server grants databases more bytes. */
  serverSocket: string;
  /** Owners who must not run anything for a while, as `formatCooldowns` writes it. */
  cooldowns: string;
  cluster: { bucket: string; address: string; key: string };
}): string {
  const { cluster } = config;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${NO_INTERNET},
    (name = "disk", disk = (path = ${quoted(config.dataFolder)}, writable = true)),
    (name = "server", external = (address = ${quoted(`unix:${config.serverSocket}`)}, http = ()))
  ],
  sockets = [(name = "http", address = ${quoted(`unix:${config.socket}`)}, http = (), service = "main")],
  v8Flags = [${quoted(`--max-old-space-size=${CLUSTER_HOST_HEAP_MEGABYTES}`)}],
  cluster = (bucket = ${quoted(cluster.bucket)}, address = ${quoted(cluster.address)}, key = ${quoted(cluster.key)})
);
const worker :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  modules = [(name = "database-cluster.js", esModule = embed "database-cluster.js")],
  durableObjectNamespaces = [(className = "Database", uniqueKey = "quire-database", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "DATABASES", durableObjectNamespace = "Database"),
    (name = "SERVER", service = "server"),
    (name = "KEY", text = ${quoted(config.key)}),
    (name = "COOLDOWNS", text = ${quoted(config.cooldowns)})
  ]
);
`;
}

/** Blocks that lead somewhere private though workerd takes them for public: NAT64, 6to4, Teredo, IPv4 in IPv6. */
const TUNNELS = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '192.88.99.0/24', '::/96'];
/** Blocks that nobody on the public network has, so that whoever does is private. */
const UNROUTED = [
  ...['0.0.0.0/8', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16', 'fec0::/10'],
];

/**
 * The way out: a proxy that looks at the address a name resolves to, when it connects. Every connection comes by the lane
 * of its owner, where it is counted, and goes on to the proxy. Requests then pass the guard, which explains failures;
 * sockets pass it by, for which workerd wants `--experimental`.
 */
export function egressConfig(config: {
  /** Where the proxy itself is, out of the reach of cells. */
  innerSocket: string;
  /** Where lane number so and so is, by its place in the list. */
  lanes: string[];
  connections: { total: number; perOwner: number };
  allow: string[];
  deny: string[];
}): string {
  const { innerSocket, connections } = config;
  const lanes = config.lanes.map(
    (socket, lane) =>
      `(name = "lane-${lane}", address = ${quoted(`unix:${socket}`)}, tcp = (), service = (name = "lanes", props = (json = "{\\"lane\\":${lane}}")))`,
  );
  const list = (blocks: string[]) => `[${blocks.map((block) => quoted(withPrefix(block))).join(', ')}]`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "lanes", worker = .lanes),
    (name = "inner", external = (address = ${quoted(`unix:${innerSocket}`)}, tcp = ())),
    (name = "guard", worker = .guard),
    (name = "out", network = (allow = ${list(['public', ...config.allow])}, deny = ${list([...TUNNELS, ...UNROUTED, ...config.deny])}, tlsOptions = (trustBrowserCas = true)))
  ],
  sockets = [
    (name = "inner", address = ${quoted(`unix:${innerSocket}`)}, http = (style = proxy), service = "guard"),
    ${lanes.join(',\n    ')}
  ],
  logging = (structuredLogging = true)
);
const lanes :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  compatibilityFlags = ["experimental"],
  modules = [(name = "lanes.js", esModule = embed "egress-lanes.js")],
  bindings = [
    (name = "INNER", service = "inner"),
    (name = "TOTAL", text = ${quoted(String(connections.total))}),
    (name = "PER_OWNER", text = ${quoted(String(connections.perOwner))})
  ]
);
const guard :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  compatibilityFlags = ["connect_pass_through"],
  modules = [(name = "guard.js", esModule = embed "egress-guard.js")],
  globalOutbound = "out"
);
`;
}

/** workerd knows blocks and words, but no bare addresses. */
function withPrefix(block: string): string {
  const parsed = parseBlock(block);
  return parsed ? `${parsed.address}/${parsed.prefix}` : block;
}
