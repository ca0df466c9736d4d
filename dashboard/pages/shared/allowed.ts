import { t } from '../../texts/index.ts';
import type { SharedPage } from '../api.ts';

type SharedRole = SharedPage['role'];

export function nameOfRole(role: SharedRole): string {
  switch (role) {
    case 'admin':
      return t('Admin');
    case 'member':
      return t('Member');
    case 'viewer':
      return t('Viewer');
    case null:
      return t('Can see it');
  }
}

/** What a role allows, in a line for lists. */
export function describeRole(role: SharedRole): string {
  switch (role) {
    case 'admin':
      return t('You can edit the page, its data and its team.');
    case 'member':
      return t('You can add data and files, and edit your own.');
    case 'viewer':
      return t('You can read its data and download files.');
    case null:
      return t('You can open the page.');
  }
}

/** The same in full. */
export function allowedBy(role: SharedRole): string[] {
  switch (role) {
    case 'admin':
      return [
        t('Edit the page, its versions and its settings'),
        t('Read and change all data and files'),
        t('Invite and manage members and viewers'),
      ];
    case 'member':
      return [
        t('Open the page and read all its data'),
        t('Add records and files, and change your own'),
        t('See who is in the team'),
      ];
    case 'viewer':
      return [
        t('Open the page and read all its data'),
        t('Download the files of the team'),
        t('See who is in the team'),
      ];
    case null:
      return [t('Open the page')];
  }
}
