import { TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTexts } from '../parts/texts.tsx';
import { type FullTenant, TenantForm } from './tenant-form.tsx';

const fieldsOf = ({ Name, Slug, Settings, Metadata }: FullTenant) => ({
  name: Name,
  slug: Slug,
  appUrl: Settings.AppURL,
  metadata: Object.entries(Metadata).map(([key, value]) => `${key}=${value}`),
});

type Fields = ReturnType<typeof fieldsOf>;

const entryOf = (text: string): [string, string] => {
  const [key = '', ...value] = text.split('=');
  return [key.trim(), value.join('=').trim()];
};

/** The name and the addresses of a tenant. */
export function IdentitySection({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const labels = {
    name: t('settings.name'),
    slug: t('settings.slug'),
    appUrl: t('settings.appUrl'),
    metadata: t('settings.metadata'),
  };
  const follow = async ({ Slug }: FullTenant) => {
    // The views of the new address exist once the account names it.
    await queries.invalidateQueries({ queryKey: ['Account_Get'] });
    await navigate({ to: `/console/t/${Slug}/settings`, replace: true });
  };
  return (
    <TenantForm
      tenant={tenant}
      title={t('settings.identity')}
      description={t('settings.identityAbout')}
      fieldsOf={fieldsOf}
      check={({ name, slug }) => ({
        name: name.trim() === '' ? t('settings.nameMissing') : null,
        slug: /^[a-z][a-z0-9-]{1,62}$/.test(slug.trim()) ? null : t('settings.slugWrong'),
      })}
      toChange={({ name, slug, appUrl, metadata }) => ({
        Name: name.trim(),
        Slug: slug.trim(),
        Settings: { AppURL: appUrl.trim() },
        Metadata: Object.fromEntries(metadata.map(entryOf)),
      })}
      labels={labels}
      onSaved={(saved) => void follow(saved)}
    >
      {(form) => <IdentityFields form={form} labels={labels} />}
    </TenantForm>
  );
}

type FieldsProps = { form: UseFormReturnType<Fields>; labels: Record<keyof Fields, string> };

function IdentityFields({ form, labels }: FieldsProps) {
  const { t } = useTexts();
  return (
    <>
      <TextInput {...form.getInputProps('name')} label={labels.name} maxLength={128} />
      <TextInput
        {...form.getInputProps('slug')}
        label={labels.slug}
        description={t('settings.slugAbout')}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps('appUrl')}
        label={labels.appUrl}
        description={t('settings.appUrlAbout')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
      />
      <TagsInput
        {...form.getInputProps('metadata')}
        label={labels.metadata}
        description={t('settings.metadataAbout')}
        acceptValueOnBlur
      />
    </>
  );
}
