/** The table of a service's data keys. */
export const dekTable = `
  create table dek (
    tenant text not null,
    id text not null,
    kek text not null,
    wrapped bytea not null,
    created_at timestamptz(3) not null,
    rotation_due boolean not null default false,
    superseded_at timestamptz(3),
    unused_since timestamptz(3),
    primary key (tenant, id)
  );
  create index dek_kek on dek (kek);
  create index dek_rotation_due on dek (tenant, id) where rotation_due;
  create index dek_superseded on dek (tenant, id) where superseded_at is not null;`;
