/** How pages store data. Each mode but `page` has one kind of data. */

export const STORAGE_MODES = ['page', 'solo_app', 'team_app', 'social_app'] as const;
export type StorageMode = (typeof STORAGE_MODES)[number];

/** The kinds of data, as fields name them. */
export const STORAGE_TYPES = ['solo_data', 'team_data', 'social_data'] as const;
export type StorageType = (typeof STORAGE_TYPES)[number];

/** The kinds of data, as URLs and scopes name them. */
export type DataType = 'solo-data' | 'team-data' | 'social-data';

/** The mode of each kind of data. */
export const MODE_OF: Record<StorageType, StorageMode> = {
  solo_data: 'solo_app',
  team_data: 'team_app',
  social_data: 'social_app',
};

/** The kind of data of a mode. Undefined if the mode stores no data, or only a newer server knows it. */
export const findStorageType = (mode: string) => STORAGE_TYPES.find((type) => MODE_OF[type] === mode);

export const dashed = (type: StorageType) => type.replace('_', '-') as DataType;

/** The kind of data of a mode, as URLs name it. */
export function findDataType(mode: string): DataType | undefined {
  const type = findStorageType(mode);
  return type && dashed(type);
}
