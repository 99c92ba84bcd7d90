import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key of a request, response or record, in the interface's own spelling and type names. */
export type DocumentedField = {
  readonly name: string;
  /** id, string, path, bool, bytes, PageReq, Page<T>, or a record's name. */
  readonly type: string;
  readonly rules?: readonly string[];
};

/** An operation as the interface describes it. With `shape`, its fields are not shown. */
export type DocumentedOperation = {
  readonly name: string;
  /** Replayed by the delivery worker; clients do not call it. */
  readonly internal?: boolean;
  readonly shape?: 'not shown';
  readonly request?: readonly DocumentedField[];
  readonly response?: readonly DocumentedField[];
};

/** A documented message, and the key whose absence causes it. */
export type DocumentedValidation = {
  readonly operation: string;
  readonly missing: string;
  readonly message: string;
};

export type DocumentedRoute = { readonly method: 'GET' | 'POST'; readonly path: string };

export type DocumentedInterface = {
  /** The version of OpenAPI. */
  readonly openapi: string;
  /** The version of the description. */
  readonly version: string;
  /** What every operation declares. */
  readonly statuses: readonly number[];
  readonly schemas: {
    readonly request: string;
    readonly response: string;
    readonly failure: string;
  };
  readonly operations: readonly DocumentedOperation[];
  /** The known fields of each record. */
  readonly records: Readonly<Record<string, readonly DocumentedField[]>>;
  readonly validation: readonly DocumentedValidation[];
  readonly routes: readonly DocumentedRoute[];
};

/**
 * The interface, transcribed by hand and from nothing of ours: it is the judge of the proto files, of openapi.json and of
 * a running gateway.
 */
export const documented: DocumentedInterface = JSON.parse(
  readFileSync(join(import.meta.dirname, 'interface.json'), 'utf8'),
);
