import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key of a request, response or record, with the interface's own spelling and type names. */
export type DocumentedField = {
  readonly name: string;
  /** id, string, path, bool, bytes, PageReq, Page<T>, or a record's name. */
  readonly type: string;
  readonly rules?: readonly string[];
};

/**
 * An operation as the interface describes it. `shape` marks an operation whose fields the interface
 * does not show.
 */
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
  readonly openapi: string;
  /** The version of the API description. */
  readonly version: string;
  /** The response statuses that every operation declares. */
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
 * The interface, transcribed by hand and independent of the code. The tests compare the proto
 * files, openapi.json and a running gateway with it.
 */
export const documented: DocumentedInterface = JSON.parse(
  readFileSync(join(import.meta.dirname, 'interface.json'), 'utf8'),
);
