/** Names of this machine. */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const isLocal = (hostname: string): boolean => LOCAL.test(bare(hostname));

/** A hostname in lower case, without the dot that it can have at its end. */
const bare = (hostname: string) => hostname.toLowerCase().replace(/\.$/, '');

/** Whether this service answers at the host of a URL, on any port. */
export type IsServiceHost = (url: string) => Promise<boolean>;

/**
 * Everyone who has a page can publish a file on the service's own hosts: those must not say who an app is. They are the
 * base URL, what is below the hosts of pages and functions, and the domains of pages. Other programs on the machine of a
 * developer have another port.
 */
export function createIsServiceHost(options: {
  baseUrl: string;
  pagesHost: string | undefined;
  functionsHost: string | undefined;
  pages: { ofDomain(domain: string): Promise<number | undefined> };
}): IsServiceHost {
  const base = new URL(options.baseUrl);
  const ownHosts = [options.pagesHost, options.functionsHost].flatMap((host) =>
    host === undefined ? [] : [bare(new URL(`http://${host}`).hostname)],
  );
  return async (text) => {
    const url = URL.parse(text);
    if (!url) return false;
    const hostname = bare(url.hostname);
    if (isLocal(hostname) && isLocal(base.hostname)) return url.port === base.port;
    if (hostname === bare(base.hostname)) return true;
    if (ownHosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))) return true;
    return (await options.pages.ofDomain(hostname)) !== undefined;
  };
}
