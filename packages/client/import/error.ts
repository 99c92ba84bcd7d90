/** A file or a record that cannot be imported. The message says why, to the operator. */
export class ImportError extends Error {}
