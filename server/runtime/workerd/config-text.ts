import { COMPATIBILITY_DATE } from '../../../contract/rules/projects/worker-settings.ts';
import {
  DATABASE_HEADERS,
  DATABASE_MODULE,
  EGRESS_HEADERS,
  formatSizes,
  MAX_SHARDS,
  SERVICE_BINDINGS,
  SERVICE_KEY_HEADER,
  SERVICES_MODULE,
  shardBinding,
} from '../../../workers/protocol.ts';
import { parseBlock } from '../../lib/addresses.ts';

/** Writes workerd configurations. They contain no text from users: code and secrets are embedded by file name. */

/** Quotes our own names and paths, which have only plain characters. Anything else is a bug. */
function quoted(text: string): string {
  if (!/^[\w ./:=@+[\]-]*$/.test(text))
    throw new Error(`not a plain configuration text: ${JSON.stringify(text)}`);
  return `"${text}"`;
}

interface CellConfig {
  /** The folder in which the sockets are created. */
  socketFolder: string;
  egressSocket: string;
  /** Identifies the cell to the egress. */
  egressKey: string;
  /** The database, its names in `env`, and the socket of its host. */
  database?: { socket: string; name: string; owner: string; key: string; names: string[] } | undefined;
  /** Where the services in `env` are, which of them the function has, and the key of the cell. */
  services?: { socket: string; names: ReadonlyArray<keyof typeof SERVICE_BINDINGS>; key: string } | undefined;
  /** Names of secrets. The value of each is in the file with the same name. */
  secrets: string[];
  heapMegabytes: number;
  /** The memory for what the function puts into `caches`. */
  cacheBytes: number;
}

/** A cell: the owner's module behind our shim, on its own socket. Its only access to the network is the egress. */
export function cellConfig(config: CellConfig): string {
  const { database, services } = config;
  const bindings = config.secrets.map(
    (name) => `(name = ${quoted(name)}, text = embed ${quoted(`secret-${name}`)})`,
  );
  for (const name of new Set(database?.names)) {
    bindings.push(
      `(name = ${quoted(name)}, wrapped = (moduleName = "${DATABASE_MODULE}", innerBindings = [(name = "fetcher", service = "database")]))`,
    );
  }
  for (const name of services?.names ?? []) {
    bindings.push(
      `(name = "${name}", wrapped = (moduleName = "${SERVICES_MODULE}", entrypoint = "${SERVICE_BINDINGS[name]}", innerBindings = [(name = "server", service = "services")]))`,
    );
  }
  const databaseService = database
    ? `(name = "database", external = (address = ${quoted(`unix:${database.socket}`)}, http = (injectRequestHeaders = [
      (name = "${DATABASE_HEADERS.database}", value = ${quoted(database.name)}),
      (name = "${DATABASE_HEADERS.owner}", value = ${quoted(database.owner)}),
      (name = "${DATABASE_HEADERS.key}", value = ${quoted(database.key)})]))),`
    : '';
  const serverService = services
    ? `(name = "services", external = (address = ${quoted(`unix:${services.socket}`)}, http = (injectRequestHeaders = [
      (name = "${SERVICE_KEY_HEADER}", value = ${quoted(services.key)})]))),`
    : '';
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${databaseService}
    ${serverService}
    (name = "internet", external = (address = ${quoted(`unix:${config.egressSocket}`)}, http = (style = proxy, injectRequestHeaders = [
      (name = "${EGRESS_HEADERS.cell}", value = ${quoted(config.egressKey)})])))
  ],
  sockets = [
    (name = "http", address = ${quoted(`unix:${config.socketFolder}/http`)}, http = (), service = "main"),
    (name = "probe", address = ${quoted(`unix:${config.socketFolder}/probe`)}, http = (), service = (name = "main", entrypoint = "Probe"))
  ],
  extensions = [(modules = [${listModules(config).join(', ')}])],
  v8Flags = [${quoted(`--max-old-space-size=${config.heapMegabytes}`)}],
  logging = (structuredLogging = true)
);
const worker :Workerd.Worker = (
  compatibilityDate = ${quoted(COMPATIBILITY_DATE)},
  # The shim needs it to tell the output of one call from that of others.
  compatibilityFlags = ["nodejs_als"],
  modules = [
    (name = "quire-shim.js", esModule = embed "quire-shim.js"),
    (name = "function.js", esModule = embed "function.js")
  ],
  bindings = [${bindings.join(', ')}],
  # Only this function's own shim sees what it caches.
  cacheApiOutbound = (name = "main", entrypoint = "FunctionCache", props = (json = "{\\"bytes\\":${config.cacheBytes}}"))
);
`;
}

/** The modules behind what a function has in `env`. */
function listModules({ services, database }: CellConfig): string[] {
  const list = (name: string, file: string) =>
    `(name = "${name}", internal = true, esModule = embed "${file}")`;
  return [
    ...(services ? [list(SERVICES_MODULE, 'quire-services.js')] : []),
    ...(database ? [list(DATABASE_MODULE, 'quire-database.js')] : []),
  ];
}

/** Several times the largest response. A request that needs more ends only the owner's own host, which restarts. */
const HOST_HEAP_MEGABYTES = 512;
/** Larger than for one owner: many share a shard, and running out of memory ends it for all of them. */
const CLUSTER_HOST_HEAP_MEGABYTES = 2048;

/** Without this, a worker could access the network, and workerd would look for missing certificates. */
const NO_INTERNET = '(name = "internet", network = (allow = []))';

/** A database host: one Durable Object per database, on local disk. */
export function databaseHostConfig(config: {
  socket: string;
  dataFolder: string;
  key: string;
  /** The bytes that its databases may use together, and what each of them uses on disk. */
  limitBytes: number;
  sizes: Map<string, number>;
  /** The generations of databases that were restored, by name. */
  generations: ReadonlyMap<string, number>;
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
    (name = "SIZES", text = ${quoted(formatSizes(config.sizes))}),
    (name = "GENERATIONS", text = ${quoted(formatSizes(config.generations))})
  ]
);
`;
}

/**
 * A database host of a cluster: like that of one owner, but its databases are in a bucket, and each is at one
 * node at a time. The key to the bucket is in the environment.
 */
export function clusterHostConfig(config: {
  socket: string;
  dataFolder: string;
  key: string;
  /** The number of the shard, and the keys of all that the node can have. */
  shard: number;
  keys: string[];
  /** The folder with the socket of the server, `grants`, and those of the other hosts of the node, `shard-0` and so on. */
  serverFolder: string;
  /** Owners who must not run anything for a while, as `formatCooldowns` writes it. */
  cooldowns: string;
  cluster: { bucket: string; address: string; key: string };
}): string {
  const { cluster, serverFolder } = config;
  // They need not exist yet. A database that has moved to another shard is reached there.
  const shards = Array.from({ length: MAX_SHARDS }, (_, shard) => shard);
  const neighbours = shards.map(
    (shard) =>
      `(name = "shard-${shard}", external = (address = ${quoted(`unix:${serverFolder}/shard-${shard}`)}, http = ()))`,
  );
  const bindings = shards.map((shard) => `(name = "${shardBinding(shard)}", service = "shard-${shard}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${NO_INTERNET},
    (name = "disk", disk = (path = ${quoted(config.dataFolder)}, writable = true)),
    (name = "server", external = (address = ${quoted(`unix:${serverFolder}/grants`)}, http = ())),
    ${neighbours.join(',\n    ')}
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
    (name = "KEYS", text = ${quoted(config.keys.join(' '))}),
    (name = "SHARD", text = ${quoted(String(config.shard))}),
    (name = "COOLDOWNS", text = ${quoted(config.cooldowns)}),
    ${bindings.join(',\n    ')}
  ]
);
`;
}

/** Blocks that workerd treats as public but that can lead to private addresses: NAT64, 6to4, Teredo, IPv4 in IPv6. */
const TUNNELS = ['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '192.88.99.0/24', '::/96'];
/** Blocks that are not routed on the public internet, so any host that answers there is private. */
const UNROUTED = [
  ...['0.0.0.0/8', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16', 'fec0::/10'],
];

/**
 * The egress: a proxy that checks the address that a name resolves to when it connects. Every connection arrives on the
 * lane of its owner, where it is counted, and continues to the proxy. Requests then pass through the guard, which
 * explains failures. Sockets bypass the guard; workerd needs `--experimental` for that.
 */
export function egressConfig(config: {
  /** The socket of the proxy itself, which cells cannot access. */
  innerSocket: string;
  /** The socket of each lane. The index is the lane number. */
  lanes: string[];
  connections: { total: number; perOwner: number };
  allow: string[];
  deny: string[];
  /** False if the machine has no CA certificates: then only http: works. */
  hasTls: boolean;
}): string {
  const { innerSocket, connections } = config;
  const tls = config.hasTls ? ', tlsOptions = (trustBrowserCas = true)' : '';
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
    (name = "out", network = (allow = ${list(['public', ...config.allow])}, deny = ${list([...TUNNELS, ...UNROUTED, ...config.deny])}${tls})),
    ${NO_INTERNET}
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

/** A bridge from ports of a box's own network to sockets outside of the box. Bytes pass through unchanged. */
export function bridgeConfig(doors: { port: number; socket: string }[]): string {
  const services = doors.map(
    ({ port, socket }) =>
      `(name = "to-${port}", external = (address = ${quoted(`unix:${socket}`)}, tcp = ()))`,
  );
  const sockets = doors.map(
    ({ port }) => `(name = "at-${port}", address = "127.0.0.1:${port}", tcp = (), service = "to-${port}")`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${[NO_INTERNET, ...services].join(', ')}],
  sockets = [${sockets.join(', ')}]
);
`;
}

/** workerd accepts blocks and keywords, but not plain addresses. */
function withPrefix(block: string): string {
  const parsed = parseBlock(block);
  return parsed ? `${parsed.address}/${parsed.prefix}` : block;
}
