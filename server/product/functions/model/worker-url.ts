/** The URL of a function: on its own host, or under the API if functions have no hosts. */
export function createWorkerUrl(config: { baseUrl: string; functionsHost: string | undefined }) {
  const scheme = new URL(config.baseUrl).protocol;
  return (row: { id: number; slug: string }): string =>
    config.functionsHost
      ? `${scheme}//f${row.id}.${config.functionsHost}/`
      : `${config.baseUrl}/api/functions/${row.slug}`;
}
