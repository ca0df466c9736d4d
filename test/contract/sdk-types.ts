import type * as records from '../../contract/data/records.ts';
import type * as errors from '../../contract/errors.ts';
import type * as chat from '../../contract/features/chat.ts';
import type * as features from '../../contract/features/features.ts';
import type * as forms from '../../contract/forms/messages.ts';
import type * as references from '../../contract/references.ts';
import type * as roles from '../../contract/roles.ts';
import type * as teams from '../../contract/teams/teams.ts';

/**
 * The types for pages, `sdk/quire.d.ts`, have the fields of the contract. Nothing here runs: if a field differs, this
 * file does not compile.
 */

/**
 * Compares fields only: whether a type is an interface, or a field read-only, does not change what is sent.
 */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
    : T;
/** True only for the same fields with the same types, optional in both or in neither. */
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
/** A request after the server has filled in optional fields. */
type Filled<Options> = Required<Omit<Options, 'signal'>>;
/** The error names the type that differs. */
type Each<Checks extends Record<string, true>> = Checks;

export type Responses = Each<{
  User: Same<Quire.User, references.UserRef>;
  FormSent: Same<Quire.FormSent, forms.FormSent>;
  Faults: Same<Quire.Failure['details'], Array<Pick<errors.Fault, 'path' | 'message'>>>;
  StoredRecord: Same<Quire.StoredRecord, records.RecordResponse>;
  Mark: Same<Quire.Mark, records.Mark>;
  Found: Same<Pick<Quire.Found, keyof records.RecordList>, records.RecordList>;
  Counted: Same<Quire.Counted, Required<records.CountResponse>>;
  OperationResult: Same<Quire.OperationResult[], records.BatchResponse['results']>;
  // The SDK says which collection a reset is about.
  Change: Same<
    Exclude<Quire.Change, { type: 'reset' }>,
    Extract<records.RecordEvent, { collection: string }>
  >;
  Role: Same<Quire.Role, roles.Role>;
  Member: Same<Quire.Member, teams.Member>;
  Invite: Same<Quire.Invite, teams.Invite>;
  TeamFile: Same<Quire.TeamFile, teams.TeamFile>;
  Charge: Same<Quire.Charge, chat.ChatAnswer['credits']>;
  ChatAnswer: Same<Quire.ChatAnswer, chat.ChatAnswer>;
  // The SDK throws the errors of a stream.
  ChatEvent: Same<Quire.ChatEvent, Exclude<chat.ChatEvent, { type: 'error' }>>;
  FoundImage: Same<Quire.FoundImage, features.FoundImage>;
  generateImage: Same<FeatureResult<'generateImage'>, features.ImageGenAnswer>;
  searchImages: Same<FeatureResult<'searchImages'>, features.ImageSearchAnswer>;
  recognizeImage: Same<FeatureResult<'recognizeImage'>, features.RecognitionAnswer>;
  SpawnedPage: Same<Quire.SpawnedPage, features.SpawnAnswer['page']>;
  spawn: Same<FeatureResult<'spawn'>, features.SpawnAnswer>;
}>;
type FeatureResult<Name extends keyof Quire.PageFeatures> = Awaited<ReturnType<Quire.PageFeatures[Name]>>;

export type Requests = Each<{
  // In a query string all values are text, so only the names are compared. There, `search` is called `q`.
  Query: Same<Exclude<keyof Quire.Query, 'search'> | 'q', keyof records.ListQuery>;
  InviteOptions: Same<Filled<Quire.InviteOptions>, Required<teams.InviteBody>>;
  // Defaults make the parts differ in what may be missing, so their names are compared.
  ChatOptions: Same<keyof Filled<Quire.ChatOptions>, keyof chat.ChatBody>;
  ChatMessage: Same<keyof Quire.ChatMessage, keyof chat.ChatBody['messages'][number]>;
  ChatTool: Same<keyof Quire.ChatTool, keyof NonNullable<chat.ChatBody['tools']>[number]>;
  ImageOptions: Same<Filled<Quire.ImageOptions>, features.ImageGenBody>;
  ImageSearchOptions: Same<Filled<Quire.ImageSearchOptions>, features.ImageSearchBody>;
  // The SDK encodes an `image`.
  RecognitionOptions: Same<
    Filled<Omit<Quire.RecognitionOptions, 'image'>>,
    Required<features.RecognitionBody>
  >;
  SpawnOptions: Same<Filled<Quire.SpawnOptions>, Required<features.SpawnBody>>;
}>;
