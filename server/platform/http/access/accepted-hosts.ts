const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What load balancers, Prometheus and proxies on the machine ask for, by whatever name or address they use. */
const FOR_OPERATORS = /^\/(livez|readyz(\/haproxy)?|healthz|metrics|api\/tls\/allow)$/;

/** Whether the service itself responds to a request with this host, for this path. */
export type AcceptsHost = (host: string, path: string) => boolean;

/**
 * A page of somebody else can have a name that leads to this server (DNS rebinding), and its scripts could then read
 * what a server in a private network shows to everyone. So the service responds only to its own name.
 */
export function createAcceptsHost(baseUrl: string): AcceptsHost {
  const own = withoutPort(new URL(baseUrl).host);
  const isLoopback = LOOPBACK.test(own);
  return (host, path) => {
    const name = withoutPort(host);
    return name === own || (isLoopback && LOOPBACK.test(name)) || FOR_OPERATORS.test(path);
  };
}

/** The name in a host. It can end with a dot, which browsers take for another origin. */
export function withoutPort(host: string): string {
  return host.toLowerCase().replace(/\.?(:\d+)?$/, '');
}
