/** Limits that clients check before they send something. Texts are counted in characters. */

export const MAX_PAGE_NAME = 200;
export const MAX_PAGE_DESCRIPTION = 500;
/** Characters of a search in a list. */
export const MAX_SEARCH = 200;
/** Characters of the password of a page, and the number of people who can be named to see it. */
export const MAX_PAGE_PASSWORD = 200;
export const MAX_PAGE_PEOPLE = 200;
export const MAX_PREVIEW_INSTRUCTIONS = 2_000;
/** Characters of the name of a function that people see instead of its slug. */
export const MAX_DISPLAY_NAME = 200;
export const MAX_FUNCTION_DESCRIPTION = 2_000;
export const MAX_TOKEN_NAME = 100;
/** The number of passkeys of a user, and the length of a passkey's name. */
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 100;
/** Recovery codes that are made together. Each replaces the second factor once. */
export const RECOVERY_CODES = 10;
/** How many records of one person in somebody else's collection are counted. There may be more. */
export const MAX_COUNTED_RECORDS = 2_000;
/** Characters of the reason for a grant of credits. */
export const MAX_GRANT_REASON = 500;
/** Characters of the reason for a suspension or a takedown. */
export const MAX_BLOCK_REASON = 500;
/** Characters of the name of a field in a schema. */
export const MAX_FIELD_NAME = 200;
/** The number of indexes of a collection. */
export const MAX_INDEXES = 8;
/** The number of fields of a collection that are searched, and the words of one search. */
export const MAX_SEARCH_FIELDS = 8;
export const MAX_SEARCH_WORDS = 20;
/** Characters of a record that are searched, of all its fields together. */
export const MAX_SEARCHED_CHARACTERS = 20_000;

export const MAX_HTML_BYTES = 4 * 1024 * 1024;
/** Bytes of a file of a team. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** The number of files of a page, the bytes of one file, and the bytes of all files in one version. */
export const MAX_PAGE_FILES = 2_000;
export const MAX_PAGE_FILE_BYTES = 25 * 1024 * 1024;
export const MAX_PAGE_FILES_BYTES = 200 * 1024 * 1024;
export const MAX_PAGE_DRAFTS = 20;
/** Characters of a note on a draft or a version. */
export const MAX_NOTE = 500;
/** Domains of a page, verified or not. */
export const MAX_DOMAINS = 20;
/** A verified domain whose record has been missing for this long no longer shows the page. */
export const DOMAIN_GRACE_DAYS = 7;
/** Credits that a person can allow a page or a token to spend. */
export const MAX_CREDIT_LIMIT = 1_000;
/** Credits that a function can spend on AI in a day: without a choice, and at most. */
export const AI_DAILY_LIMIT = { usual: 50, max: 10_000 };
/** Bytes of the value of a secret. */
export const MAX_SECRET_BYTES = 64 * 1024;
/** Bytes of a SQL script to import. */
export const IMPORT_BODY_LIMIT = 64 * 1024 * 1024;
export const MAX_SPEC_CHARACTERS = 50_000;
/** Functions that can belong to a page. */
export const MAX_PAGE_FUNCTIONS = 50;
/** Functions that a page can offer to agents, and characters of the description of one. */
export const MAX_AGENT_FUNCTIONS = 20;
export const MAX_AGENT_FUNCTION_DESCRIPTION = 1_000;
/** Branches that a page can have. */
export const MAX_BRANCHES = 5;
export const MAX_BRANCH_NAME = 30;
/** After so many days without use the owner of a branch gets mail, and after as many more it is deleted. */
export const UNUSED_BRANCH_DAYS = 30;
export const UNUSED_BRANCH_NOTICE_DAYS = 7;

/** Moments of a page that have a name, and characters of such a name. */
export const MAX_NAMED_MOMENTS = 20;
export const MAX_MOMENT_NAME = 100;
/** The part of an owner's storage quota that history can take, on top of the quota. */
export const HISTORY_SHARE = 1 / 4;
/** Collections that a restore can be limited to. */
export const MAX_RESTORED_COLLECTIONS = 100;
/** Operations in one batch. */
export const MAX_BATCH = 100;
/** Entries that the log of a function keeps, and that one request can read. */
export const MAX_LOG_ENTRIES = 1_000;
/** How many versions of a function are kept, with the current one. */
export const MAX_FUNCTION_VERSIONS = 50;
/** Schedules of one function. */
export const MAX_SCHEDULES = 10;
/** Collections whose changes a function gets. */
export const MAX_TRIGGERS = 20;
/** Characters of records that one transaction can send to one function. A single change always fits. */
export const MAX_SENT_CHARACTERS = 8 * 1024 * 1024;
/** The changes of records that a function can get. */
export const TRIGGER_ACTIONS = ['create', 'update', 'delete'] as const;

/** How a server presents itself. */
export const MAX_INSTANCE_NAME = 40;
export const MAX_TAGLINE = 160;
export const MAX_INSTANCE_TEXT = 4_000;
export const MAX_LOGO_BYTES = 256 * 1024;
/** Larger logos are scaled down. */
export const MAX_LOGO_PIXELS = 512;
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

/** Saved queries of one database. */
export const MAX_SAVED_QUERIES = 100;
export const MAX_SAVED_QUERY_NAME = 100;
export const MAX_SAVED_SQL_BYTES = 64 * 1024;

/** Percentages of the storage quota at which a user is warned. */
export const STORAGE_WARNINGS = [80, 95] as const;
