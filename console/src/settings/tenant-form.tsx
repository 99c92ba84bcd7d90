import type { RequestOf, ResponseOf } from '@bailiwick/client/client.ts';
import type { BailiwickError } from '@bailiwick/client/errors.ts';
import { Skeleton } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Values } from '../parts/call-form.tsx';
import { client, useCall } from '../parts/calls.ts';
import { EditForm, ifUnchanged } from '../parts/edit-form.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { differing } from '../parts/merge.ts';
import { useNotify } from '../parts/notify.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

type Answer = ResponseOf<'Tenants_Get'>['Tenant'];
export type FullTenant = Answer & Required<Pick<Answer, 'Settings' | 'Branding'>>;
export type Change = Omit<RequestOf<'Tenants_Update'>['Tenant'] & object, 'ID'>;

/** The tenant of an answer. @throws if the service left a part out */
function whole(tenant: Answer): FullTenant {
  const { Settings, Branding } = tenant;
  if (!Settings || !Branding) throw new Error('a part of the tenant is missing');
  return { ...tenant, Settings, Branding };
}

/** Shows its children once the tenant is known. */
export function WithTenant({ children }: { children: (tenant: FullTenant) => ReactNode }) {
  const { ID } = useTenant();
  const { data, error, refetch } = useCall('Tenants_Get', { Tenant: ID });
  if (data) return children(whole(data.Tenant));
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />;
  return <Skeleton height={240} />;
}

/**
 * The part of a change that differs from the record. The service checks each field that it gets, so
 * a stored one that new rules refuse would block the change of all others.
 */
function changesOf(change: Change, base: Change): Change {
  const { Settings, Branding, ...rest } = differing(change, base);
  return {
    ...rest,
    ...(Settings && { Settings: differing(Settings, base.Settings ?? {}) }),
    ...(Branding && { Branding: differing(Branding, base.Branding ?? {}) }),
  };
}

type Props<Fields extends Values> = {
  tenant: FullTenant;
  fieldsOf: (tenant: FullTenant) => Fields;
  toChange: (fields: Fields, base: FullTenant) => Change;
  check?: (fields: Fields) => Partial<Record<keyof Fields & string, string | null>>;
  refused?: (error: BailiwickError) => Partial<Record<keyof Fields & string, string>>;
  labels: Readonly<Record<keyof Fields & string, string>>;
  onSaved?: (tenant: FullTenant) => void;
  children: (form: UseFormReturnType<Fields>) => ReactNode;
};

/** The fields of a view about a tenant, which are saved together. */
export function TenantForm<Fields extends Values>(props: Props<Fields>) {
  const { tenant, toChange, onSaved, ...form } = props;
  const { fieldsOf } = form;
  const { t } = useTexts();
  const notify = useNotify();
  const { may } = useTenant();
  const { ID } = tenant;
  return (
    <EditForm
      {...form}
      operation="Tenants_Update"
      record={tenant}
      toRequest={(fields, base) => ({
        Tenant: { ID, ...changesOf(toChange(fields, base), toChange(fieldsOf(base), base)) },
        ...ifUnchanged(base),
      })}
      read={async () => whole((await client.call('Tenants_Get', { Tenant: ID })).Tenant)}
      recordIn={({ Tenant }) => whole(Tenant)}
      stale={['Tenants_Get', 'Tenants_GetBranding']}
      onDone={({ Tenant }) => {
        notify(t('settings.saved'));
        onSaved?.(whole(Tenant));
      }}
      isReadOnly={!may('iam.tenant.write')}
      submit={t('form.save')}
    />
  );
}
