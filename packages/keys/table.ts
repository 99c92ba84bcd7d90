/** The table of a service's data keys. */
export const dekTable = `
  create table dek (
    tenant text not null,
    id text not null,
    kek text not null,
    wrapped bytea not null,
    created_at timestamptz(3) not null,
    primary key (tenant, id)
  );`;

/** The columns and indexes for key rotation. */
export const dekRotation = `
  alter table dek
    add column rotation_due boolean not null default false,
    add column superseded_at timestamptz(3),
    add column unused_since timestamptz(3);
  create index dek_kek on dek (kek);
  create index dek_rotation_due on dek (tenant, id) where rotation_due;
  create index dek_superseded on dek (tenant, id) where superseded_at is not null;`;
