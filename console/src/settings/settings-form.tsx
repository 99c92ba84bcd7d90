import type { BailiwickError } from '@bailiwick/client/errors.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { messagesAt } from '../parts/field-errors.ts';
import { useTexts } from '../parts/texts.tsx';
import { changeOf, fieldsOf, type Labels, paths } from './fields.ts';
import { IdentitySection } from './identity-section.tsx';
import { JoiningSection } from './joining-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { SignInSection } from './sign-in-section.tsx';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

/** The settings of a tenant, which are saved together. */
export function SettingsForm({ tenant }: { tenant: FullTenant }) {
  const { t, textOfReason } = useTexts();
  const labels = useLabels();
  const follow = useNewAddress();
  const refused = (error: BailiwickError) => ({
    ...messagesAt(error, paths, textOfReason),
    ...(error.Code === 'already_exists' && { slug: t('settings.slugTaken') }),
  });
  return (
    <TenantForm
      tenant={tenant}
      fieldsOf={fieldsOf}
      check={({ name, slug }) => ({
        name: name.trim() === '' ? t('settings.nameMissing') : null,
        slug: /^[a-z][a-z0-9-]{1,62}$/.test(slug.trim()) ? null : t('settings.slugWrong'),
      })}
      refused={refused}
      toChange={changeOf}
      labels={labels}
      onSaved={(saved) => {
        if (saved.Slug !== tenant.Slug) void follow(saved);
      }}
    >
      {(form) => (
        <>
          <IdentitySection tenant={tenant} form={form} labels={labels} />
          <SignInSection tenant={tenant} form={form} labels={labels} />
          <SessionsSection tenant={tenant} form={form} labels={labels} />
          <JoiningSection tenant={tenant} form={form} labels={labels} />
          <LimitsSection tenant={tenant} form={form} labels={labels} />
        </>
      )}
    </TenantForm>
  );
}

/** Goes to the settings in the address that has the tenant's new short name. */
function useNewAddress() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async ({ Slug }: FullTenant) => {
    // The views of the new address exist once the account names it.
    await queries.invalidateQueries({ queryKey: ['Account_Get'] });
    await navigate({ to: `/console/t/${Slug}/settings`, replace: true });
  };
}

function useLabels(): Labels {
  const { t } = useTexts();
  return {
    name: t('settings.name'),
    slug: t('settings.slug'),
    appUrl: t('settings.appUrl'),
    metadata: t('settings.metadata'),
    onlyAccount: t('settings.onlyAccount'),
    requireSso: t('settings.requireSso'),
    factor: t('settings.factor'),
    grace: t('settings.grace'),
    recentLogin: t('settings.recentLogin'),
    idle: t('settings.idle'),
    longest: t('settings.longest'),
    domains: t('settings.domains'),
    role: t('settings.role'),
    keys: t('settings.keys'),
    audit: t('settings.audit'),
  };
}
