import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Group } from '@mantine/core';
import { useState } from 'react';
import { ActionDialog } from '../parts/action-dialog.tsx';
import { client } from '../parts/calls.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { useTexts } from '../parts/texts.tsx';

type Tenant = ResponseOf<'Tenants_Get'>['Tenant'];
type Props = { tenant: Pick<Tenant, 'ID' | 'Name' | 'Slug' | 'Status'>; onClose: () => void };

const stale = ['Tenants_List', 'Tenants_Get'] as const;

type Change = {
  operation: 'Tenants_Suspend' | 'Tenants_Resume' | 'Tenants_Delete' | 'Tenants_Restore';
  title: TextKey;
  action: TextKey;
  description: TextKey;
  done: TextKey;
  /** Whether the user types the short name first. */
  isTyped: boolean;
  /** The operation that restores everything. */
  inverse?: 'Tenants_Resume';
  /** The change that this one takes back. */
  undoes?: string;
};

const changes = {
  suspend: {
    operation: 'Tenants_Suspend',
    title: 'platform.suspendTitle',
    action: 'platform.suspend',
    description: 'platform.suspendAbout',
    done: 'platform.suspendDone',
    isTyped: false,
    inverse: 'Tenants_Resume',
  },
  resume: {
    operation: 'Tenants_Resume',
    title: 'platform.resumeTitle',
    action: 'platform.resume',
    description: 'platform.resumeAbout',
    done: 'platform.resumeDone',
    isTyped: false,
    undoes: 'suspend',
  },
  delete: {
    operation: 'Tenants_Delete',
    title: 'platform.deleteTitle',
    action: 'platform.delete',
    description: 'platform.deleteAbout',
    done: 'platform.deleteDone',
    isTyped: true,
  },
  restore: {
    operation: 'Tenants_Restore',
    title: 'platform.restoreTitle',
    action: 'platform.restore',
    description: 'platform.restoreAbout',
    done: 'platform.restoreDone',
    isTyped: false,
    undoes: 'delete',
  },
} as const satisfies Record<string, Change>;

/** Changes the state of a tenant. */
export function TenantChange({ name, tenant, onClose }: Props & { name: keyof typeof changes }) {
  const { t } = useTexts();
  // The change stays the same while the tenant of the view changes by it.
  const [{ operation, title, action, description, done, isTyped, inverse, undoes }] =
    useState<Change>(changes[name]);
  const { ID, Name, Slug } = tenant;
  return (
    <ActionDialog
      operation={operation}
      request={{ Tenant: ID }}
      stale={stale}
      title={t(title)}
      action={t(action)}
      {...(isTyped && { phrase: Slug })}
      isHarmless={undoes !== undefined}
      notice={t(done, { tenant: Name })}
      undo={inverse && (() => client.call(inverse, { Tenant: ID }))}
      onClose={onClose}
    >
      {t(description, { tenant: Name })}
    </ActionDialog>
  );
}

/** The changes that are possible in the state of a tenant. */
export function TenantButtons({ tenant }: Pick<Props, 'tenant'>) {
  const { t } = useTexts();
  const { may } = usePlatformPermissions();
  if (!may('iam.platform.tenants.write')) return undefined;
  const names = changesOf[tenant.Status] ?? [];
  return (
    <Group gap="xs">
      {names.map((name) => {
        const { action, undoes }: Change = changes[name];
        return (
          <DialogButton
            // One button for both ways: it keeps its dialog open until the call is done.
            key={undoes ?? name}
            text={t(action)}
            dialog={(onClose) => <TenantChange name={name} tenant={tenant} onClose={onClose} />}
          />
        );
      })}
    </Group>
  );
}

const changesOf: Readonly<Record<string, ReadonlyArray<keyof typeof changes>>> = {
  active: ['suspend', 'delete'],
  suspended: ['resume', 'delete'],
  deleting: ['restore'],
};
