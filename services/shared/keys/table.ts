/** What the rotation of data keys adds to a service's table of them. */
export const dekRotation = `
  alter table dek
    add column rotation_due boolean not null default false,
    add column superseded_at timestamptz(3),
    add column unused_since timestamptz(3);
  create index dek_kek on dek (kek);
  create index dek_rotation_due on dek (tenant, id) where rotation_due;
  create index dek_superseded on dek (tenant, id) where superseded_at is not null;`;
