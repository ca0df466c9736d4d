import type { Generated, Selectable } from 'kysely';
import type { AccessMode } from '../../../../contract/pages/access-modes.ts';
import type { GalleryTopic } from '../../../../contract/rules/pages/gallery-topics.ts';
import type { StorageMode } from '../../../../contract/rules/storage-modes.ts';

/** The tables of pages and their versions. */

export interface PagesTable {
  id: Generated<number>;
  owner_id: number;
  name: string;
  slug: string;
  description: string;
  storage_mode: StorageMode;
  is_published: number;
  is_unlisted: number;
  /** Set if the document is the response to navigations that match no file. */
  spa: Generated<number>;
  /** 1 if programs cannot change the page: they work on branches. */
  protected: Generated<number>;
  /** 1 if errors of the page can be repaired: what led to them is kept. */
  repair: Generated<number>;
  /** 1 if a draft or a merge is attacked on a copy first, and is refused if something serious is found. */
  attack_first: Generated<number>;
  /** The isolation of the page on its own host, as JSON. */
  isolation: Generated<string>;
  access_mode: Generated<AccessMode>;
  /** Changes with the access mode, the password and the people. */
  access_stamp: Generated<string>;
  /** From this time on only the owner and admins can see the page. */
  access_expires_at: Generated<number | null>;
  page_api_ai_enabled: number;
  page_api_image_gen_enabled: number;
  page_api_image_search_enabled: number;
  page_api_image_recognition_enabled: number;
  page_api_spawn_enabled: number;
  preview_image: string | null;
  /** The domain that is the page's main address, if it has one. */
  domain: Generated<string | null>;
  version: number;
  views: number;
  created_at: number;
  updated_at: number;
  /** Set if an administrator has taken the page down. */
  taken_down_at: Generated<number | null>;
  taken_down_reason: Generated<string | null>;
  /** Set while the owner's account is suspended or about to be deleted. */
  owner_blocked_at: Generated<number | null>;
  /** When the owner added the page to the gallery; null if it is not there. */
  listed_at: Generated<number | null>;
  /** What the page is about, for the gallery. */
  topic: Generated<GalleryTopic>;
  /** Set if an administrator has removed the page from the gallery: its owner cannot add it again. */
  unlisted_by_admin_at: Generated<number | null>;
  unlisted_by_admin_reason: Generated<string | null>;
  /** The hash of the secret that claims the page, while it has no real owner; null for all other pages. */
  claim_hash: Generated<string | null>;
  /** The page that this one is a branch of; null for all others. It never changes. */
  branch_of: Generated<number | null>;
  /** The collections whose changes its functions get, as JSON; null without any. There may be some that none gets. */
  triggers: Generated<string | null>;
}

export type PageRow = Selectable<PagesTable>;

export interface PageVersionsTable {
  page_id: number;
  version: number;
  html_content: string;
  size: number;
  content_hash: string;
  author_id: number | null;
  created_at: number;
  /** The files of the version; null if there are none. */
  manifest_id: number | null;
  /** The version whose document this one has too. Its own column is empty then. */
  html_version: number | null;
  /** What the author says about the version. */
  note: Generated<string | null>;
}

/** What is saved, but not published. Publishing it makes a version of it. */
export interface PageDraftsTable {
  id: Generated<number>;
  page_id: number;
  /** The version that was current when the draft was started. */
  base_version: number;
  html_content: string;
  size: number;
  content_hash: string;
  manifest_id: number | null;
  note: string;
  /** Counts the times the draft was saved. */
  revision: number;
  author_id: number | null;
  created_at: number;
  updated_at: number;
}

/** What a page looks like, photographed by the service. */
export interface PagePicturesTable {
  page_id: number;
  /** The version in the picture, that is being photographed, or that could not be. */
  version: number;
  /** While a node photographs the page: when another node may. */
  claimed_until: number | null;
  blob_key: string | null;
  size: number;
  width: number;
  height: number;
  /** When the page was opened for the picture. */
  created_at: number;
  /** Set if the page had records then that strangers can see. */
  shows_records: Generated<number>;
}

export type PagePictureRow = Selectable<PagePicturesTable>;

/** The functions that a page offers to agents, as JSON. */
export interface PageAgentFunctionsTable {
  page_id: number;
  functions: string;
}

/** Former slugs of a page. They redirect to it, and are reserved for its owner. */
export interface PageOldSlugsTable {
  slug: string;
  page_id: number;
  /** When the page left the slug; null if a version wrote the row that did not know this column. */
  left_at: Generated<number | null>;
}

export interface PageMessagesTable {
  id: Generated<number>;
  page_id: number;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
}

/** What has happened in the last run of the builder, for each page and person. */
export interface BuilderProgressTable {
  page_id: number;
  user_id: number;
  run: string;
  /** A `BuilderRun` as JSON. */
  state: string;
  updated_at: number;
}

/** A run of the builder that is under way, or was when its server was lost. */
export interface BuilderRunsTable {
  page_id: number;
  user_id: number;
  /** Counts the runs of a person, from 1. */
  slot: number;
  run: string;
  expires_at: number;
}

/** The samples that a page got from its template. */
export interface PageSamplesTable {
  page_id: number;
  /** JSON: the collection and the id of each record. */
  records: string;
  /** The function whose database has samples too. */
  function_slug: string | null;
  /** JSON: the SQL statements that remove them there. */
  statements: string;
}

/** The last attack on each page. */
export interface AttackReportsTable {
  page_id: number;
  /** The version of the page that was attacked. */
  version: number;
  attacked_at: number;
  /** The keys of its serious findings, with spaces between them. */
  serious: string;
  /** JSON: the report, without what is meant so. */
  report: string;
}

/** Findings of attacks that are meant so. */
export interface AttackFindingsTable {
  page_id: number;
  finding_key: string;
  meant_by: number;
  meant_at: number;
}

export interface TemplateRequestsTable {
  page_id: number;
  /** A digest of the request that made the page from a template: its key, who sent it, and what it asked for. */
  digest: string;
}

/** The password of a page, if its access mode needs one. */
export interface PageAccessTable {
  page_id: number;
  password_hash: string;
}

/** The people who can see a page, by username or e-mail address, in lower case. */
export interface PagePeopleTable {
  page_id: number;
  name: string;
}
