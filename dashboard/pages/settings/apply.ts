import type { PageDetail, PagePatch } from '../api.ts';

/** Changes the page and shows what became of it. */
export type Apply = (patch: PagePatch) => Promise<PageDetail>;

export interface SettingsProps {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}
