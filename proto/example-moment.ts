// The gateway needs it at run time, and the image holds nothing of proto/openapi.

/** When everything in the examples of the OpenAPI document happens. */
export const moment = '2026-01-31T12:00:00.000Z';
