import type { Config } from '../platform/config/index.ts';

/** The local URL of the server with these settings. */
export function ownAddress({ hostname, port }: Pick<Config, 'hostname' | 'port'>): string {
  return `http://${loopback(hostname)}:${port}`;
}

function loopback(hostname: string | undefined): string {
  if (hostname === undefined || hostname === '0.0.0.0') return '127.0.0.1';
  if (hostname === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}
