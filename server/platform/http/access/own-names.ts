const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What load balancers, Prometheus and proxies on the machine ask for, by whatever name or address they use. */
const FOR_OPERATORS = /^\/(livez|readyz(\/haproxy)?|healthz|metrics|api\/tls\/allow)$/;

/** Whether a request with this host, for this path, is for the service itself. */
export type OwnNames = (host: string, path: string) => boolean;

/**
 * A page of somebody else can have a name that leads to this server (DNS rebinding), and its scripts could then read
 * what a server in a private network shows to everyone. So the service responds only to its own name.
 */
export function createOwnNames(baseUrl: string): OwnNames {
  const own = nameOf(new URL(baseUrl).host);
  const isLoopback = LOOPBACK.test(own);
  return (host, path) => {
    const name = nameOf(host);
    return name === own || (isLoopback && LOOPBACK.test(name)) || FOR_OPERATORS.test(path);
  };
}

/** A host without its port. A name can end with a dot. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.?(:\d+)?$/, '');
}
