/** A value of a JSON document. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object under construction. */
export type JsonObject = { [key: string]: Json };
