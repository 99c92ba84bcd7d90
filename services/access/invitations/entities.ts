import { timeOf } from '@bailiwick/contract';
import {
  type TenantInvitation,
  TenantInvitationSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import { searchIndex, type TrigramIndex, textKey, trigramEntityIndex } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';

export type InvitationStatus = 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';

/** A group that existed when it was named. A later group at the same path is a different group. */
export type InvitedGroup = { id: string; path: string };

export const invitationTrigrams: TrigramIndex = {
  name: 'invitation_trigrams',
  table: 'invitation',
  isOfTenants: true,
  keys: [textKey('email')],
};

export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    email: p.text(),
    /** The unique form of the address: see normaliseEmail. */
    emailKey: p.text(),
    /**
     * The stored status: an expired invitation stays pending until the sweeper has recorded its
     * expiry.
     */
    status: p.text().$type<InvitationStatus>(),
    roles: p.array().columnType('text[]'),
    groups: p.json<InvitedGroup[]>(),
    /**
     * user, bot or platform. The inviter's rights are checked again when the invitation is
     * accepted.
     */
    inviterType: p.text(),
    invitedBy: p.text(),
    /** The permissions that the key of an inviting bot was narrowed to; empty = not narrowed. */
    inviterNarrowedTo: p.array().columnType('text[]'),
    /** The limit of the inviter's session; "" = nothing. */
    inviterLimitedTo: p.text().default(''),
    inviterVoucher: p.text().default(''),
    acceptedBy: p.text(),
    tokenHash: p.blob(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'invitation_token_hash', properties: ['tokenHash'] },
    { name: 'invitation_pending', properties: ['tenant', 'emailKey'], where: "status = 'pending'" },
  ],
  indexes: [
    { name: 'invitation_email_key', properties: ['emailKey', 'id'] },
    { name: 'invitation_expiry', properties: ['expiresAt'], where: "status = 'pending'" },
    searchIndex(`invitation_email on invitation (tenant, (${textKey('email')}), id)`),
    { name: 'invitation_status', properties: ['tenant', 'status', 'id'] },
    { name: 'invitation_created', properties: ['tenant', 'createdAt', 'id'] },
    trigramEntityIndex(invitationTrigrams),
  ],
});

export type InvitationRow = {
  tenant: string;
  id: string;
  email: string;
  emailKey: string;
  status: InvitationStatus;
  roles: string[];
  groups: InvitedGroup[];
  inviterType: string;
  invitedBy: string;
  inviterNarrowedTo: string[];
  inviterLimitedTo: string;
  inviterVoucher: string;
  acceptedBy: string;
  expiresAt: Date | string;
  createdAt: Date | string;
  updatedAt: Date | string;
};

export function toInvitation(row: InvitationRow): TenantInvitation {
  return create(TenantInvitationSchema, {
    id: row.id,
    tenant: row.tenant,
    email: row.email,
    status:
      row.status === 'pending' && new Date(row.expiresAt).getTime() <= Date.now()
        ? 'expired'
        : row.status,
    roles: row.roles,
    groups: row.groups.map(({ path }) => path),
    invitedBy: row.invitedBy,
    acceptedBy: row.acceptedBy,
    expiresAt: timeOf(row.expiresAt),
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}
