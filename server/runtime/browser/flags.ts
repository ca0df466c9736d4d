import { EGRESS_PORT, SITE_PORT } from './box.ts';

/** Hosts that the server itself serves. */
export interface OwnHosts {
  baseUrl: string;
  pagesHost: string | undefined;
  functionsHost: string | undefined;
  /** The domain of a page. */
  domain?: string | undefined;
}

const PLAIN = [
  '--headless',
  '--remote-debugging-pipe',
  '--user-data-dir=/tmp/profile',
  // The browser's own sandbox needs namespaces, which our box forbids. Our box contains one page only.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  // WebGL in software. It is less safe with hostile pages, but they are in our box.
  '--enable-unsafe-swiftshader',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-quic',
  '--disable-sync',
  '--disable-features=MediaRouter,OptimizationHints,Translate,SpareRendererForSitePerProcess',
  '--renderer-process-limit=2',
  '--js-flags=--max-old-space-size=512',
  '--password-store=basic',
  '--mute-audio',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  // Without this, WebRTC would try addresses that are not the proxy's.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/**
 * The browser's command line. Requests for our own hosts go to our own site, and all others to the egress, which
 * resolves their names. The browser itself resolves none.
 */
export function browserFlags(hosts: OwnHosts, fingerprint: string | undefined): string[] {
  const base = new URL(hosts.baseUrl);
  const port = base.port || (base.protocol === 'https:' ? '443' : '80');
  const withPort = (host: string) => (/:\d+$/.test(host) ? host : `${host}:${port}`);
  const own = [
    withPort(base.host),
    ...(hosts.domain ? [withPort(hosts.domain)] : []),
    ...[hosts.pagesHost, hosts.functionsHost].flatMap((host) => (host ? [`*.${withPort(host)}`] : [])),
  ];
  const rules = own.map(
    (host) => `MAP ${host.replace(/:\d+$/, '').replace(/[[\]]/g, '')} 127.0.0.1:${SITE_PORT}`,
  );
  return [
    ...PLAIN,
    `--proxy-server=http://127.0.0.1:${EGRESS_PORT}`,
    // Otherwise loopback addresses would bypass the egress.
    `--proxy-bypass-list=<-loopback>;${own.join(';')}`,
    `--host-resolver-rules=${rules.join(', ')}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ...(fingerprint === undefined ? [] : [`--ignore-certificate-errors-spki-list=${fingerprint}`]),
    'about:blank',
  ];
}
