/**
 * The globals that Quire puts into every page it serves, for editors and type checkers:
 *
 *     /// <reference path="./quire.d.ts" />
 *
 * `PageFunctions`, `PageUser` and `PageFeatures` are there on every page; of the other three a page has the one of its
 * storage mode.
 */
declare namespace Quire {
  interface User {
    id: number;
    username: string;
  }

  /** What every failed call rejects with. */
  interface Failure extends Error {
    /** The HTTP status; 0 when the service could not be reached. */
    status: number;
    /**
     * For programs, such as `NOT_FOUND` or `VALIDATION_FAILED`; `UNREACHABLE` when there was no answer. In `PageFeatures`
     * a word such as `rate_limited`, `insufficient_credits` or `ai_disabled`.
     */
    code: string;
    /** What is wrong with which field, when validation failed. */
    details: Array<{ path: string; message: string }>;
    /** Where the visitor allows the page to use credits, when the code is `consent_required`. */
    consentUrl?: string;
  }

  /** Any JSON object. */
  type Data = { [field: string]: unknown };

  interface StoredRecord<T = Data> {
    id: string;
    collection: string;
    data: T;
    /** ISO 8601. */
    createdAt: string;
    updatedAt: string;
    /** Who made it; not in `SoloData`, where everything is the visitor's own. */
    createdBy?: User;
  }

  type Value = string | number | boolean | null;

  interface Condition {
    eq?: Value;
    ne?: Value;
    gt?: string | number;
    gte?: string | number;
    lt?: string | number;
    lte?: string | number;
    in?: Value[];
    contains?: Value;
    exists?: boolean;
  }

  /** `{ field: value }`, `{ field: { operator: value } }`, `and`, `or`; fields inside fields with dots. */
  interface Where {
    [field: string]: Value | Condition | Where[];
  }

  interface Query {
    where?: Where;
    /** `created_at` (the default), `updated_at` or `data.<field>`. */
    orderBy?: string;
    /** The newest or largest first, unless said otherwise. */
    order?: 'asc' | 'desc';
    /** 1 to 100; 50 unless said otherwise. */
    limit?: number;
    offset?: number;
    /** Only records after the one with this id, in the order asked for. */
    after?: string;
    before?: string;
    /** Only the visitor's own, in `SocialData`. */
    mine?: boolean;
  }

  /** The records found, with what is to be known about the whole. */
  interface Found<T = Data> extends Array<StoredRecord<T>> {
    readonly records: StoredRecord<T>[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly hasMore: boolean;
  }

  interface Counted {
    count: number;
    groups: Array<{ value: unknown; count: number }>;
  }

  type Operation<T = Data> =
    | { op: 'create'; data: T }
    | { op: 'update'; id: string; data: Partial<T> }
    | { op: 'delete'; id: string };

  interface OperationResult<T = Data> {
    success: boolean;
    record?: StoredRecord<T>;
  }

  /** After `reset` something may have been missed: read the collection again. */
  type Change<T = Data> =
    | { type: 'created' | 'updated'; collection: string; record: StoredRecord<T> }
    | { type: 'deleted'; collection: string; id: string }
    | { type: 'reset'; collection: string };

  /** What the three kinds of data have in common. */
  interface Collections {
    /** Resolves once it is known who the visitor is. */
    readonly ready: Promise<void>;
    /** Whether the visitor is logged in; false until `ready`. */
    isAuthenticated(): boolean;
    /** The visitor, or null; null until `ready`. */
    getCurrentUser(): User | null;
    /** Leads to the login page and back to where the visitor was. */
    promptLogin(): void;
    find<T = Data>(collection: string, query?: Query): Promise<Found<T>>;
    /** Null when there is no such record. */
    findById<T = Data>(collection: string, id: string): Promise<StoredRecord<T> | null>;
    create<T = Data>(collection: string, data: T): Promise<StoredRecord<T>>;
    /** Replaces the fields given and leaves the others as they are. */
    update<T = Data>(collection: string, id: string, data: Partial<T>): Promise<StoredRecord<T>>;
    delete(collection: string, id: string): Promise<void>;
    /** How many there are; with `groupBy` (a field) also how many of each value. */
    count(collection: string, query: { where?: Where; mine?: boolean; groupBy: string }): Promise<Counted>;
    count(collection: string, query?: { where?: Where; mine?: boolean }): Promise<number>;
    /** Up to 100 operations; all of them happen, or none. */
    batch<T = Data>(collection: string, operations: Operation<T>[]): Promise<OperationResult<T>[]>;
    /**
     * Calls back for every change from now on, whoever makes it, until the returned function is called. A change may
     * also tell of what `find` has shown already, so put records in place by their id.
     */
    subscribe<T = Data>(collection: string, callback: (change: Change<T>) => void): () => void;
  }

  /** Private to each visitor. For pages in the mode `solo_app`. */
  interface SoloData extends Collections {}

  /** Public, and everybody changes their own. For pages in the mode `social_app`. */
  interface SocialData extends Collections {
    /** Only the visitor's own records. */
    findMine<T = Data>(collection: string, query?: Query): Promise<Found<T>>;
  }

  type Role = 'owner' | 'admin' | 'member' | 'viewer';

  interface Member {
    user: User;
    role: Role;
    joinedAt: string;
  }

  interface InviteOptions {
    /** `member` unless said otherwise. */
    role?: 'admin' | 'member' | 'viewer';
    /** 7 unless said otherwise. */
    expiresInDays?: number;
    maxUses?: number;
  }

  interface Invite {
    inviteCode: string;
    /** Whoever opens this address can join. */
    inviteUrl: string;
    role: Role;
    expiresAt: string;
  }

  interface TeamFile {
    id: string;
    name: string;
    /** In bytes. */
    size: number;
    contentType: string;
    createdAt: string;
    uploadedBy: User;
  }

  /** Shared by a team. For pages in the mode `team_app`. */
  interface TeamData extends Collections {
    /** What the visitor is on the team, or null; null until `ready`. */
    getRole(): Role | null;
    /**
     * Whether the visitor may do this; false until `ready`. To a member, `update` and `delete` mean the records that
     * the member made.
     */
    can(action: 'read' | 'create' | 'update' | 'delete' | 'invite' | 'manage'): boolean;
    getMembers(): Promise<Member[]>;
    createInvite(options?: InviteOptions): Promise<Invite>;
    /** At most 10 MB. */
    uploadFile(file: File): Promise<TeamFile>;
    listFiles(): Promise<TeamFile[]>;
    /** An address for a link or a picture. */
    getDownloadUrl(fileId: string): Promise<string>;
    downloadFile(fileId: string): Promise<Blob>;
    deleteFile(fileId: string): Promise<void>;
  }

  interface PageFunctions {
    /** Calls a function and resolves to its JSON answer, whatever the status. */
    call(slug: string, params?: unknown): Promise<unknown>;
    /** What a link shows: title, description, picture. */
    unfurl(url: string): Promise<unknown>;
  }

  interface PageUser {
    /** Resolves once it is known whether the visitor is logged in. */
    readonly ready: Promise<void>;
    /** The visitor, or null. */
    current(): Promise<User | null>;
    /** Leads to the login page and back to where the visitor was. */
    login(): void;
    /** Leads to the page where the visitor can log out, and back. */
    logout(): void;
  }

  interface ChatMessage {
    role: 'user' | 'assistant';
    content: string;
  }

  interface ChatOptions {
    /** What the AI is to do and how. */
    system_prompt: string;
    /** What was said so far, at most 50 messages. */
    messages?: ChatMessage[];
    /** The answer comes in pieces, as it is made. */
    stream?: boolean;
    /** 1 to 4096; 1024 unless said otherwise. */
    maxTokens?: number;
    /** Stops the request. */
    signal?: AbortSignal;
  }

  interface Usage {
    inputTokens: number;
    outputTokens: number;
    totalTokens: number;
  }

  /** What a call has cost the visitor, and what they have left, in credits. */
  interface Charge {
    deducted: number;
    remaining: number;
  }

  interface ChatAnswer {
    success: true;
    content: string;
    usage: Usage;
    credits: Charge;
  }

  /** Pieces of the answer, and last what it has cost. */
  type ChatEvent = { type: 'delta'; content: string } | { type: 'done'; usage: Usage; credits: Charge };

  interface ImageOptions {
    /** At most 4,000 characters. */
    prompt: string;
    /** `1:1` unless said otherwise. */
    aspectRatio?: '1:1' | '16:9' | '9:16' | '4:3' | '3:4';
    signal?: AbortSignal;
  }

  interface ImageSearchOptions {
    query: string;
    /** 1 to 10; 10 unless said otherwise. */
    count?: number;
    signal?: AbortSignal;
  }

  interface FoundImage {
    title: string;
    /** Addresses of the picture, small and in full. */
    thumbnail: string;
    original: string;
    /** Who shows it, and where. */
    source: string;
    link: string;
    /** Of the original, in pixels. */
    width: number;
    height: number;
  }

  /** One of `image`, `image_url` and `image_base64`; at most 10 MB. */
  interface RecognitionOptions {
    /** What is to be said about the picture, at most 4,000 characters. */
    prompt: string;
    /** A file that the visitor has chosen, for example. */
    image?: Blob;
    /** A public address. */
    image_url?: string;
    image_base64?: string;
    mime_type?: string;
    signal?: AbortSignal;
  }

  interface SpawnOptions {
    name: string;
    /** The new page's document; a copy of this page unless said otherwise. */
    html_content?: string;
    description?: string;
    storage_mode?: 'page' | 'solo_app' | 'team_app' | 'social_app';
    signal?: AbortSignal;
  }

  interface SpawnedPage {
    id: number;
    name: string;
    slug: string;
    url: string;
  }

  /**
   * What a page does for its visitor, in their name and mostly for their credits, once its owner has switched it on.
   * A visitor who has to log in or to give consent first is asked, and the call goes on afterwards; one who does not
   * want to makes it reject with `auth_required` or `consent_required`.
   */
  interface PageFeatures {
    /** Answers in pieces: `for await (const event of PageFeatures.chat({ …, stream: true }))`. */
    chat(options: ChatOptions & { stream: true }): AsyncGenerator<ChatEvent, void, undefined>;
    /** Answers a chat. Costs by its length: one credit is 2,500 tokens. */
    chat(options: ChatOptions): Promise<ChatAnswer>;
    /** Makes a picture and keeps it at an address of its own. Costs 4 credits. */
    generateImage(options: ImageOptions | string): Promise<{ image_url: string }>;
    /** Finds pictures that others have published. Costs nothing. */
    searchImages(
      options: ImageSearchOptions | string,
    ): Promise<{ success: true; query: string; results: FoundImage[] }>;
    /** Says what is on a picture. Costs one credit. */
    recognizeImage(options: RecognitionOptions): Promise<{ success: true; text: string; credits: Charge }>;
    /** Publishes a page that belongs to the visitor. */
    spawn(options: SpawnOptions): Promise<{ success: true; page: SpawnedPage }>;
  }
}

/** Calls functions of the service. */
declare const PageFunctions: Quire.PageFunctions;
/** Who looks at the page. */
declare const PageUser: Quire.PageUser;
/** Chat, pictures and new pages, for the visitor. */
declare const PageFeatures: Quire.PageFeatures;
/** Private data of each visitor, on pages in the mode `solo_app`. */
declare const SoloData: Quire.SoloData;
/** A team's data and files, on pages in the mode `team_app`. */
declare const TeamData: Quire.TeamData;
/** Public data, on pages in the mode `social_app`. */
declare const SocialData: Quire.SocialData;
