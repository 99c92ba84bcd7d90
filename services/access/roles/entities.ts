import { timeOf } from '@bailiwick/contract';
import { type Role, RoleSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import { type BuiltInRole, tenantRoles } from '../permissions/builtin.ts';

/** A role that a tenant has defined. */
export const RoleEntity = defineEntity({
  name: 'Role',
  tableName: 'role_entry',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    slug: p.text(),
    name: p.text(),
    description: p.text(),
    permissions: p.array().columnType('text[]'),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'role_entry_slug', properties: ['tenant', 'slug'] }],
});

export type RoleRow = {
  tenant: string;
  id: string;
  slug: string;
  name: string;
  description: string;
  permissions: string[];
  createdAt: Date | string;
  updatedAt: Date | string;
};

export function toRole(row: RoleRow): Role {
  return create(RoleSchema, {
    id: row.id,
    tenant: row.tenant,
    slug: row.slug,
    name: row.name,
    description: row.description,
    permissions: { items: row.permissions },
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}

/**
 * The built-in roles as records of a tenant. Their ids are the lowest, so that they come first in a
 * list.
 */
export function builtInRoles(tenant: string): Role[] {
  return tenantRoles.map((role, index) => toBuiltInRole(tenant, role, index));
}

function toBuiltInRole(
  tenant: string,
  { slug, name, description, permissions }: BuiltInRole,
  index: number,
): Role {
  const id = `rol_${String(index + 1).padStart(26, '0')}`;
  return create(RoleSchema, {
    id,
    tenant,
    slug,
    name,
    description,
    permissions: { items: [...permissions] },
    system: true,
  });
}
