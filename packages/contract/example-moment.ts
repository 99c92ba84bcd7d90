// Not in openapi/: the gateway needs it at run time, and the image does not contain that folder.

/** The time of all events in the examples of the OpenAPI document. */
export const moment = '2026-01-31T12:00:00.000Z';
