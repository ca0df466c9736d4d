import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { me } from '../../session.ts';
import { getBuilder } from './api.ts';

/** Whether there is a model, once it is known. */
const isAvailable = signal<boolean | undefined>(undefined);

/** Whether to offer the builder: if there is a model, and to administrators, who can connect one. */
export function useBuilderOffered(): boolean {
  useEffect(() => {
    if (isAvailable.value === true) return;
    getBuilder().then(
      (status) => {
        isAvailable.value = status.isAvailable;
      },
      () => undefined,
    );
  }, []);
  return isAvailable.value === true || me.value?.isAdmin === true;
}
