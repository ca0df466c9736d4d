/**
 * Types of the globals that Quire adds to every page, for editors and type checkers:
 *
 *     /// <reference path="./quire.d.ts" />
 *
 * Every page has `PageFunctions`, `PageLive`, `PageForms`, `PageUser` and `PageFeatures`. Pages with data also have one of
 * `SoloData`, `TeamData` and `SocialData`, depending on their storage mode.
 */
declare namespace Quire {
  interface User {
    id: number;
    username: string;
  }

  /** The error that every failed call rejects with. */
  interface Failure extends Error {
    /** The HTTP status, or 0 if the service could not be reached. */
    status: number;
    /**
     * A code such as `NOT_FOUND` or `VALIDATION_FAILED`, or `UNREACHABLE` if there was no response. `PageFeatures` use
     * codes such as `rate_limited`, `insufficient_credits` or `ai_disabled`.
     */
    code: string;
    /** The errors of each field if validation failed. */
    details: Array<{ path: string; message: string }>;
    /** In how many seconds to try again, if the service says so: after too many calls, or while it is busy. */
    retryAfter?: number;
    /** The URL where the visitor can allow the page to use credits, if the code is `consent_required`. */
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
    /** The author. Missing in `SoloData`, where all records belong to the visitor. */
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

  /** `{ field: value }`, `{ field: { operator: value } }`, `and` and `or`. Use dots for nested fields. */
  interface Where {
    [field: string]: Value | Condition | Where[];
  }

  interface Query {
    where?: Where;
    /**
     * Words that the records must have in the `search` fields of the schema. Each can be the beginning of a longer word;
     * words in quotes are next to each other. Records then have `marks`.
     */
    search?: string;
    /** `created_at` (the default), `updated_at` or `data.<field>`. */
    orderBy?: string;
    /** `desc` (newest or largest first) by default. */
    order?: 'asc' | 'desc';
    /** 1 to 100, by default 50. */
    limit?: number;
    offset?: number;
    /** Only records after the record with this id, in the given order. */
    after?: string;
    /** Only records before the record with this id, in the given order. */
    before?: string;
    /** Only the visitor's own records, in `SocialData`. */
    mine?: boolean;
  }

  /** The part of a field around the first word that was found. `hit` is true for what was searched for. */
  interface Mark {
    field: string;
    pieces: Array<{ text: string; hit: boolean }>;
  }

  interface FoundRecord<T = Data> extends StoredRecord<T> {
    /** With `search`: what was found in each field. The pieces are texts, and not HTML. */
    marks?: Mark[];
  }

  /** An array of records with information about the whole result. */
  interface Found<T = Data> extends Array<FoundRecord<T>> {
    readonly records: FoundRecord<T>[];
    readonly total: number;
    readonly limit: number;
    readonly offset: number;
    readonly hasMore: boolean;
  }

  interface Counted {
    count: number;
    groups: Array<{ value: unknown; count: number }>;
  }

  /** Fields to set. Null removes a field. */
  type Changes<T = Data> = { [Field in keyof T]?: T[Field] | null };

  type Operation<T = Data> =
    | { op: 'create'; data: T }
    | { op: 'update'; id: string; data: Changes<T> }
    | { op: 'replace'; id: string; data: T }
    | { op: 'delete'; id: string };

  interface OperationResult<T = Data> {
    success: true;
    record?: StoredRecord<T>;
  }

  /** After `reset`, changes may have been missed: read the collection again. */
  type Change<T = Data> =
    | { type: 'created' | 'updated'; collection: string; record: StoredRecord<T> }
    | { type: 'deleted'; collection: string; id: string }
    | { type: 'reset'; collection: string };

  interface PastQuery {
    /** At most 100, by default 20. */
    limit?: number;
    /** The `next` of the list before. */
    before?: number | undefined;
  }

  type Past<Item, Name extends string> = { [Key in Name]: Item[] } & { next: number | null };

  interface PastChange<T = Data> {
    at: string;
    by: User | null;
    action: 'update' | 'delete' | 'restore';
    before: T | null;
  }

  type DataAction = 'read' | 'create' | 'update' | 'delete';

  /** The methods that `SoloData`, `TeamData` and `SocialData` have in common. */
  interface Collections {
    /** Resolves when the visitor is known. */
    readonly ready: Promise<void>;
    /** True if the visitor is logged in. False until `ready`. */
    isAuthenticated(): boolean;
    /** The visitor, or null if they are not logged in. Null until `ready`. */
    getCurrentUser(): User | null;
    /** Opens the login screen, which leads back to this page. */
    promptLogin(): void;
    find<T = Data>(collection: string, query?: Query): Promise<Found<T>>;
    /** Null if there is no such record. */
    findById<T = Data>(collection: string, id: string): Promise<StoredRecord<T> | null>;
    create<T = Data>(collection: string, data: T): Promise<StoredRecord<T>>;
    /** Sets the given fields and keeps the others. A field that is null is removed. */
    update<T = Data>(collection: string, id: string, data: Changes<T>): Promise<StoredRecord<T>>;
    /** Replaces all fields: those that are not given are removed. */
    replace<T = Data>(collection: string, id: string, data: T): Promise<StoredRecord<T>>;
    delete(collection: string, id: string): Promise<void>;
    /** What a record was before each change, newest first. `next` continues the list. */
    history<T = Data>(
      collection: string,
      id: string,
      query?: PastQuery,
    ): Promise<Past<PastChange<T>, 'changes'>>;
    /** Brings a record back as it was before the change at this time, also a deleted one. */
    restore<T = Data>(collection: string, id: string, at: string): Promise<StoredRecord<T>>;
    /** Deleted records: the visitor's own, or all for those who manage the page. */
    findDeleted<T = Data>(
      collection: string,
      query?: PastQuery,
    ): Promise<Past<StoredRecord<T> & { deletedAt: string; deletedBy: User | null }, 'records'>>;
    /**
     * True if the visitor can do this by the storage mode and the rules of the collection: with this record, or else
     * with any. False until `ready`.
     */
    can(action: DataAction, collection?: string, record?: Pick<StoredRecord, 'createdBy'>): boolean;
    /** The number of records. With `groupBy` (a field), also the number for each value. */
    count(
      collection: string,
      query: { where?: Where; search?: string; mine?: boolean; groupBy: string },
    ): Promise<Counted>;
    count(collection: string, query?: { where?: Where; search?: string; mine?: boolean }): Promise<number>;
    /** Runs up to 100 operations: all of them, or none. */
    batch<T = Data>(collection: string, operations: Operation<T>[]): Promise<OperationResult<T>[]>;
    /**
     * Calls back for every change by anyone, until you call the returned function. A change may also report a record that
     * `find` has already returned, so identify records by their id.
     */
    subscribe<T = Data>(collection: string, callback: (change: Change<T>) => void): () => void;
    /**
     * Calls back with what `find` returns, now and whenever it has changed, no matter who changed it, until you call the
     * returned function. `onEnd` is called if it ends by itself, for example because the visitor must not read it any
     * longer. A tab can have 20.
     */
    live<T = Data>(
      collection: string,
      query: Query,
      callback: (found: Found<T>) => void,
      onEnd?: (error: Failure) => void,
    ): () => void;
  }

  /** Private data of each visitor, on pages with the storage mode `solo_app`. */
  interface SoloData extends Collections {}

  /** Public data, on pages with the storage mode `social_app`. Visitors can edit only their own records. */
  interface SocialData extends Collections {
    /** Finds only the visitor's own records. */
    findMine<T = Data>(collection: string, query?: Query): Promise<Found<T>>;
  }

  type Role = 'owner' | 'admin' | 'member' | 'viewer';

  interface Member {
    user: User;
    role: Role;
    joinedAt: string;
  }

  interface InviteOptions {
    /** By default `member`. */
    role?: 'admin' | 'member' | 'viewer';
    /** By default 7. */
    expiresInDays?: number;
    maxUses?: number;
  }

  interface Invite {
    inviteCode: string;
    /** Anyone with this link can join. */
    inviteUrl: string;
    role: 'admin' | 'member' | 'viewer';
    expiresAt: string;
  }

  interface TeamFile {
    id: string;
    name: string;
    /** The size in bytes. */
    size: number;
    contentType: string;
    createdAt: string;
    uploadedBy: User;
  }

  /** Data that a team shares, on pages with the storage mode `team_app`. */
  interface TeamData extends Collections {
    /** The visitor's role in the team, or null. Null until `ready`. */
    getRole(): Role | null;
    /** Like `can` in other modes, and whether the visitor can invite people and manage the team. */
    can(action: DataAction, collection?: string, record?: Pick<StoredRecord, 'createdBy'>): boolean;
    can(action: 'invite' | 'manage'): boolean;
    getMembers(): Promise<Member[]>;
    createInvite(options?: InviteOptions): Promise<Invite>;
    /** Uploads a file of up to 10 MB. */
    uploadFile(file: File): Promise<TeamFile>;
    listFiles(): Promise<TeamFile[]>;
    /** A URL for a link or an image. */
    getDownloadUrl(fileId: string): Promise<string>;
    downloadFile(fileId: string): Promise<Blob>;
    deleteFile(fileId: string): Promise<void>;
  }

  interface PageFunctions {
    /**
     * Calls a function and returns its JSON response, with any status. A function of the page's owner learns who the
     * visitor is.
     */
    call(slug: string, params?: unknown): Promise<unknown>;
    /**
     * Like `fetch`, at the function's own address: with any method and path. A function of the page's owner learns who
     * the visitor is. It must allow your page to read its response (`access-control-allow-origin`).
     */
    fetch(slug: string, path?: string, init?: RequestInit): Promise<Response>;
    /** Opens a WebSocket to a function. A function of the page's owner learns who the visitor is. */
    socket(slug: string, path?: string, protocols?: string | string[]): Promise<WebSocket>;
    /**
     * Calls back with what `call` returns, now and whenever the data that the function has read from `env.DB` has changed, no
     * matter who changed it, until you call the returned function. The function should only read. It learns who the visitor
     * is, but not their address or browser. Equal calls of visitors that it cannot tell apart run once. `onEnd` is called
     * if it ends by itself, for example because the function is now private. A tab can have 20; a result can have 256 KB.
     */
    live<T = unknown>(
      slug: string,
      params: unknown,
      callback: (result: T) => void,
      onEnd?: (error: Failure) => void,
    ): () => void;
    /** Reads the title, description and image of a web page. */
    unfurl(url: string): Promise<unknown>;
  }

  /** Somebody in a channel. Guests have no username, and an id such as `guest-4oPz…`, which their browser keeps. */
  type LivePerson = User | { id: string; username: null };

  /** The first 100 people in a channel. Each is there once, with however many tabs. */
  interface LivePeople extends Array<LivePerson> {
    /** How many people there are, also beyond the first 100. */
    readonly count: number;
  }

  /** A channel that this tab has joined. */
  interface LiveChannel {
    readonly name: string;
    /**
     * Sends any JSON, at most 4 KB, to all other tabs in the channel. Resolves when the service has sent it. A visitor can
     * send 20 messages a second; further calls reject with the code `RATE_LIMITED`.
     */
    send(message: unknown): Promise<void>;
    /**
     * Calls back for each message of others. `from` is null if a function of the page's owner sent it. Returns a function
     * that stops it.
     */
    on<T = Data>(callback: (message: T, from: LivePerson | null) => void): () => void;
    /**
     * Calls back when this tab has joined the channel, and again after each lost connection. Messages sent before that are
     * lost, so read then what you show. Returns a function that stops it.
     */
    onJoin(callback: () => void): () => void;
    /** Who is in the channel now, with this visitor. */
    presence(): Promise<LivePeople>;
    /** Calls back with everybody in the channel, now and after each change. Returns a function that stops it. */
    presence(callback: (people: LivePeople) => void): () => void;
    /** Leaves the channel. */
    leave(): Promise<void>;
  }

  /** Channels between everybody who has the page open, in every storage mode. Messages are not stored. */
  interface PageLive {
    /**
     * Joins a channel of this page. The same name gives the same channel. Names have 1 to 64 letters, digits or `_ . : -`. A
     * tab can be in 16 channels. After a lost connection, the tab joins them again; messages sent meanwhile are lost.
     */
    channel(name: string): LiveChannel;
  }

  type FormValue = string | number | boolean | Blob | null | undefined;

  /** The fields of a form by name, with files. */
  type FormInput = FormData | HTMLFormElement | { [field: string]: FormValue | FormValue[] };

  interface FormSent {
    success: true;
    /** A sentence for the visitor. */
    message: string;
  }

  /**
   * Messages to the owner of the page, from anyone, without logging in. A form with `data-quire-form="<name>"` is sent
   * in this way without a script of yours: it gets `data-quire-state` (`sending`, `sent` or `error`), and its element
   * with `data-quire-message` gets the text.
   */
  interface PageForms {
    /** Sends a form. At most 5 files of up to 5 MB each, 10 MB together. */
    submit(name: string, data: FormInput): Promise<FormSent>;
  }

  interface PageUser {
    /** Resolves when it is known whether the visitor is logged in. */
    readonly ready: Promise<void>;
    /** The visitor, or null if they are not logged in. */
    current(): Promise<User | null>;
    /** Opens the login screen, which leads back to this page. */
    login(): void;
    /** Opens the logout screen, which leads back to this page. */
    logout(): void;
  }

  /** What the model asks the page to do. */
  interface ToolCall {
    id: string;
    name: string;
    /** The arguments as the model wrote them. Check them. */
    input: Record<string, unknown>;
  }

  interface ChatMessage {
    role: 'user' | 'assistant' | 'tool';
    content: string;
    /** Pictures for the model, in messages of the user: URLs, or base64. At most 4 in a chat. */
    images?: string[];
    /** The calls in an answer of the model, as it gave them. */
    tool_calls?: ToolCall[];
    /** With the role `tool`: the call that `content` is the result of. */
    tool_call_id?: string;
  }

  /** Something that the page can do for the model. */
  interface ChatTool {
    name: string;
    description?: string;
    /** The JSON Schema of its arguments: an object. */
    parameters?: Record<string, unknown>;
  }

  interface ChatOptions {
    /** Instructions for the AI. */
    system_prompt: string;
    /** The conversation so far, at most 50 messages. */
    messages?: ChatMessage[];
    /** Returns the response in pieces, while it is generated. */
    stream?: boolean;
    /** 1 to 4096, by default 1024. */
    maxTokens?: number;
    /** One of `PageFeatures.models()`. */
    model?: string;
    /** At most 16. The answer has `tool_calls` if the model asks for one. */
    tools?: ChatTool[];
    /** The JSON Schema of the answer, an object. The answer is then in `data`. */
    response_format?: Record<string, unknown>;
    /** Cancels the request. */
    signal?: AbortSignal;
  }

  interface Usage {
    inputTokens: number;
    outputTokens: number;
    totalTokens: number;
  }

  /** The credits that a call cost, and those that the visitor has left. */
  interface Charge {
    deducted: number;
    remaining: number;
  }

  interface ChatAnswer {
    success: true;
    content: string;
    /** With `response_format`: the answer as an object, unless the model asks for tools first. */
    data?: Record<string, unknown>;
    /** What the model asks for. Send the results as messages with the role `tool`. */
    tool_calls?: ToolCall[];
    usage: Usage;
    credits: Charge;
  }

  /** Pieces of the response, and at the end its cost. */
  type ChatEvent =
    | { type: 'delta'; content: string }
    | ({ type: 'tool_call' } & ToolCall)
    | { type: 'done'; data?: Record<string, unknown>; usage: Usage; credits: Charge };

  /** A model that answers chats. */
  interface ChatModel {
    name: string;
    /** Credits for 1,000 tokens. */
    price: number;
    /** Whether it answers if no model is named. */
    default: boolean;
  }

  interface ImageOptions {
    /** At most 4,000 characters. */
    prompt: string;
    /** By default `1:1`. */
    aspectRatio?: '1:1' | '16:9' | '9:16' | '4:3' | '3:4';
    signal?: AbortSignal;
  }

  interface ImageSearchOptions {
    query: string;
    /** 1 to 10, by default 10. */
    count?: number;
    signal?: AbortSignal;
  }

  interface FoundImage {
    title: string;
    /** The URL of a small version. */
    thumbnail: string;
    /** The URL of the image. */
    original: string;
    /** The name of the site that shows the image. */
    source: string;
    /** The URL of the page that shows the image. */
    link: string;
    /** The size of the original in pixels. */
    width: number;
    height: number;
  }

  /** Set one of `image`, `image_url` and `image_base64`. At most 10 MB. */
  interface RecognitionOptions {
    /** A question about the image, at most 4,000 characters. */
    prompt: string;
    /** For example a file that the visitor chose. */
    image?: Blob;
    /** A public URL. */
    image_url?: string;
    image_base64?: string;
    mime_type?: string;
    signal?: AbortSignal;
  }

  interface SpawnOptions {
    name: string;
    /** The HTML of the new page. By default a copy of this page. */
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

  /** Records of one collection, as a function has them in `env.DATA`. Failures are errors with a `code`. */
  interface FunctionCollection<T = Data> {
    list(query?: Query): Promise<Omit<Found<T>, keyof Array<unknown>>>;
    count(query?: {
      where?: Where;
      mine?: boolean;
      groupBy?: string;
    }): Promise<Partial<Counted> & { count: number }>;
    get(id: string): Promise<StoredRecord<T>>;
    create(data: T): Promise<StoredRecord<T>>;
    /** Sets the given fields and keeps the others. A field that is null is removed. */
    update(id: string, data: Changes<T>): Promise<StoredRecord<T>>;
    /** Replaces all fields: those that are not given are removed. */
    replace(id: string, data: T): Promise<StoredRecord<T>>;
    delete(id: string): Promise<void>;
  }

  interface FunctionData {
    team<T = Data>(collection: string): FunctionCollection<T>;
    social<T = Data>(collection: string): FunctionCollection<T>;
  }

  /** A chat without `system_prompt` needs a message. */
  type FunctionChat = Omit<ChatOptions, 'system_prompt' | 'signal'> & { system_prompt?: string };

  interface Embedded {
    embeddings: number[][];
    usage: { totalTokens: number };
    credits: Charge;
  }

  /** What a function of a page has in `env`, besides its database, secrets and `caches`. */
  interface FunctionEnv {
    /** Messages to everybody who has one of your pages open. For all functions. */
    LIVE: { publish(pageId: number, channel: string, message: unknown): Promise<void> };
    MAIL: {
      /**
       * Sends mail to the owner (without `to`), to a member of the team, by username or address, or to all of them
       * (`to: 'team'`).
       */
      send(letter: { to?: string; subject: string; text: string; html?: string }): Promise<void>;
    };
    /** Records of the page, with the rights of its owner; `as` has those of the visitor who called. */
    DATA: FunctionData & { as(request: Request): FunctionData };
    FORMS: {
      /** The messages of a form of the page, newest first. */
      list(
        name: string,
        query?: { limit?: number; offset?: number },
      ): Promise<{ messages: Array<{ id: number; fields: Data; createdAt: string }>; total: number }>;
    };
    TEAM: {
      /** The owner of the page and the members of its team. */
      list(): Promise<Array<{ username: string; role: Role }>>;
    };
    FUNCTIONS: {
      /** Calls another function of the same owner, and returns its response, which must be JSON. */
      call(slug: string, body?: unknown): Promise<unknown>;
    };
    /** Models, for credits of the owner, up to the function's `aiDailyLimit`. For all functions. */
    AI: {
      /** Returns the response in pieces: `for await (const event of env.AI.chat({ …, stream: true }))`. */
      chat(options: FunctionChat & { stream: true }): AsyncGenerator<ChatEvent, void, undefined>;
      chat(options: FunctionChat): Promise<ChatAnswer>;
      /** A vector for each text, in their order. Texts that mean the same have vectors that are near each other. */
      embed(texts: string[] | string): Promise<Embedded>;
    };
    /** Messages to the module's own `queue(batch, env, ctx)`. For all functions. */
    QUEUE: {
      /** Sends a message, which is anything that JSON can have. A waiting one with the same key is replaced. */
      send(message: unknown, options?: { delaySeconds?: number; key?: string }): Promise<void>;
      /** Sends up to 100 messages at once: all of them, or none. */
      sendBatch(
        messages: Iterable<{ body: unknown; delaySeconds?: number; key?: string }>,
        options?: { delaySeconds?: number },
      ): Promise<void>;
    };
  }

  /**
   * Features that a page uses in the visitor's name, mostly for the visitor's credits. The owner must enable each one. If
   * the visitor must log in or consent first, they are asked, and the call continues afterwards. If they decline, it
   * rejects with `auth_required` or `consent_required`.
   */
  interface PageFeatures {
    /** Returns the response in pieces: `for await (const event of PageFeatures.chat({ …, stream: true }))`. */
    chat(options: ChatOptions & { stream: true }): AsyncGenerator<ChatEvent, void, undefined>;
    /** Sends a chat to an AI model. With the usual model, one credit pays for 2,500 tokens. */
    chat(options: ChatOptions): Promise<ChatAnswer>;
    /** The models that answer chats, each with its price. */
    models(): Promise<ChatModel[]>;
    /** Generates an image and stores it at its own URL. Costs 4 credits. */
    generateImage(options: ImageOptions | string): Promise<{ image_url: string }>;
    /** Searches the web for images. Free. */
    searchImages(
      options: ImageSearchOptions | string,
    ): Promise<{ success: true; query: string; results: FoundImage[] }>;
    /** Answers a question about an image. Costs 1 credit. */
    recognizeImage(options: RecognitionOptions): Promise<{ success: true; text: string; credits: Charge }>;
    /** Publishes a page in the visitor's account. Free. */
    spawn(options: SpawnOptions): Promise<{ success: true; page: SpawnedPage }>;
  }
}

/** Calls functions. */
declare const PageFunctions: Quire.PageFunctions;
/** Messages to everybody who has the page open, and who is there. */
declare const PageLive: Quire.PageLive;
/** Messages to the owner of the page. */
declare const PageForms: Quire.PageForms;
/** The visitor of the page. */
declare const PageUser: Quire.PageUser;
/** AI chat, images and new pages. */
declare const PageFeatures: Quire.PageFeatures;
/** Private data of each visitor, on pages with the storage mode `solo_app`. */
declare const SoloData: Quire.SoloData;
/** Data and files that a team shares, on pages with the storage mode `team_app`. */
declare const TeamData: Quire.TeamData;
/** Public data, on pages with the storage mode `social_app`. */
declare const SocialData: Quire.SocialData;
