/**
 * The schema of the clock, which the database has while a filling runs. A file of its own: clock.ts
 * loads the services.
 */
export const clockSchema = 'demo_clock';
