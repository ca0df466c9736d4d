/** Calls back when it is worth trying a connection again: the network is back, or the visitor is. */
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
