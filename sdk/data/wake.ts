/** Calls back when the network or the visitor returns, so that a connection can be tried again. */
export function onWake(callback: (cause: 'online' | 'visible') => void): () => void {
  const online = () => callback('online');
  const visible = () => document.visibilityState === 'visible' && callback('visible');
  addEventListener('online', online);
  document.addEventListener('visibilitychange', visible);
  return () => {
    removeEventListener('online', online);
    document.removeEventListener('visibilitychange', visible);
  };
}
