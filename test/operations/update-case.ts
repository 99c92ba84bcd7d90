import type { Stack } from '../support/harness.ts';

export type RecordWithId = Fields & { ID: string };

export type Fields = Record<string, unknown>;

export type UpdateCase = {
  operation: string;
  token: string;
  /** The key of the record in the request; '' = the request itself. */
  key: string;
  /** The required fields of an update. */
  needed: Fields;
  /** Values that differ from those of the record, in an order in which each can be sent alone. */
  filled: Fields;
  /** The value of a field after `""`, `[]` or `{}`, where that is allowed. */
  cleared: Fields;
  /** The fields of the record that the operation does not accept. */
  readOnly?: readonly string[];
  /** Settable fields that never change, or that another case or test is about. */
  elsewhere?: readonly string[];
  read: () => Promise<Fields>;
};

export type UpdatePlace = {
  stack: Stack;
  /** The owner of the tenant. */
  token: string;
  tenant: string;
  make: (operation: string, request: object, key: string, by?: string) => Promise<RecordWithId>;
  readOf: (operation: string, request: object, key: string, by?: string) => () => Promise<Fields>;
};
