import { t } from '../../texts/index.ts';
import { say } from '../../ui/index.ts';

/** Copies the address. If the browser refuses, selects it in its field, so that one key copies it. */
export async function copyAddress(address: string, field: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(address);
    say(t('Address copied.'));
    return true;
  } catch {
    field?.focus();
    field?.select();
    say(t('This browser does not let pages copy. The address is selected: copy it yourself.'), 'bad');
    return false;
  }
}

/** Whether this device can hand an address to its other apps. */
export const canShare = typeof navigator.share === 'function';

export async function shareAddress(address: string, title: string): Promise<void> {
  try {
    await navigator.share({ title, url: address });
  } catch (error) {
    // The person closed the list of apps.
    if ((error as Error).name !== 'AbortError') throw error;
  }
}
