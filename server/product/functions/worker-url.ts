/** Where a function answers by itself: on a host of its own, or below the API where there is no such host. */
export function createWorkerUrl(config: { baseUrl: string; functionsHost: string | undefined }) {
  const scheme = new URL(config.baseUrl).protocol;
  return (row: { id: number; slug: string }): string =>
    config.functionsHost
      ? `${scheme}//f${row.id}.${config.functionsHost}/`
      : `${config.baseUrl}/api/functions/${row.slug}`;
}
