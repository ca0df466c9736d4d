/** Prefixes of `x-` headers that a proxy, a browser or Quire itself acts on. */
const STEERING = [
  // Proxies that send a file or another URL instead of the response, or treat it differently.
  'x-accel-',
  'x-akamai-',
  'x-appengine-',
  'x-arr-',
  'x-envoy-',
  'x-google-',
  'x-lighttpd-',
  'x-litespeed-',
  'x-mod-pagespeed',
  'x-page-speed',
  'x-reproxy-',
  'x-send-file',
  'x-sendfile',
  'x-varnish',
  // Headers of proxies about a request, which nothing may read from a response.
  'x-client-ip',
  'x-cluster-client-ip',
  'x-forwarded-',
  'x-http-method',
  'x-method-override',
  'x-original-',
  'x-real-ip',
  'x-rewrite-',
  // Headers that browsers act on.
  'x-content-duration',
  'x-content-security-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-sourcemap',
  'x-ua-compatible',
  'x-webkit-',
  'x-xss-protection',
  // Headers of Quire.
  'x-page-session',
  'x-quire-',
  'x-request-id',
];

/** Whether a header of a response is an author's own: nothing between them and their reader acts on it. */
export function isCustomHeader(name: string): boolean {
  return name.startsWith('x-') && !STEERING.some((beginning) => name.startsWith(beginning));
}
