import { useEffect, useRef, useState } from 'preact/hooks';
import { type Loaded, useLoad, useRefresh } from '../ui/index.ts';
import { type Connection, listConnections } from './api.ts';

/** How soon the screen notices a new agent. */
const LOOK_AGAIN_MS = 3_000;

export interface Connections extends Loaded<Connection[]> {
  /** The agent that connected, or used its token for the first time, while the screen was open. */
  fresh: Connection | undefined;
}

const toKey = ({ kind, id }: Connection) => `${kind} ${id}`;

/** An agent is connected once it has an app's access, or has used its token. */
export const isConnected = ({ kind, lastUsedAt }: Connection) => kind === 'app' || lastUsedAt !== null;

/** The connections, looked up again while somebody looks at the screen. */
export function useConnections(): Connections {
  const loaded = useLoad(listConnections, []);
  const [fresh, setFresh] = useState<Connection>();
  /** Those that were connected before. Undefined until they are known. */
  const known = useRef<Set<string>>(undefined);
  useRefresh(loaded.refresh, LOOK_AGAIN_MS);

  useEffect(() => {
    if (!loaded.value) return;
    const connected = loaded.value.filter(isConnected);
    const first = known.current && connected.find((each) => !known.current?.has(toKey(each)));
    if (first) setFresh(first);
    known.current = new Set(connected.map(toKey));
  }, [loaded.value]);

  return { ...loaded, fresh };
}
