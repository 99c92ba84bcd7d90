import { FileInput, SimpleGrid, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Card } from '../parts/card.tsx';
import { messagesAt } from '../parts/field-errors.ts';
import { Page } from '../parts/page.tsx';
import { pageAt } from '../parts/place.ts';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { contrastOf } from './contrast.ts';
import { type BrandingFields, SignInPreview } from './sign-in-preview.tsx';
import { type FullTenant, TenantForm, WithTenant } from './tenant-form.tsx';

const maxLogoBytes = 64 * 1024;

const fieldsOf = ({ Branding }: FullTenant): BrandingFields => ({
  name: Branding.Name,
  color: Branding.AccentColor,
  logo: Branding.LogoPath === '' ? '' : pageAt(Branding.LogoPath.replace(/^\//, '')),
  terms: Branding.TermsURL,
  privacy: Branding.PrivacyURL,
});

const paths = {
  name: 'Tenant.Branding.Name',
  color: 'Tenant.Branding.AccentColor',
  terms: 'Tenant.Branding.TermsURL',
  privacy: 'Tenant.Branding.PrivacyURL',
};

/** How the pages and mails about a tenant look, with the sign-in page beside it. */
export function BrandingPage() {
  const { t } = useTexts();
  const { Name } = useTenant();
  return (
    <Page
      title={t('settings.branding')}
      description={t('settings.brandingAbout', { tenant: Name })}
    >
      <WithTenant>{(tenant) => <Branding key={tenant.ID} tenant={tenant} />}</WithTenant>
    </Page>
  );
}

function Branding({ tenant }: { tenant: FullTenant }) {
  const { t } = useTexts();
  const labels = {
    name: t('settings.brandName'),
    color: t('settings.color'),
    logo: t('settings.logo'),
    terms: t('settings.terms'),
    privacy: t('settings.privacy'),
  };
  return (
    <TenantForm
      tenant={tenant}
      fieldsOf={fieldsOf}
      check={({ color }) => ({
        color: color === '' || contrastOf(color)?.isEnough ? null : t('settings.colorWrong'),
      })}
      refused={(error) => messagesAt(error, paths)}
      toChange={({ name, color, logo, terms, privacy }, base) => ({
        Branding: {
          Name: name.trim(),
          AccentColor: color.trim(),
          TermsURL: terms.trim(),
          PrivacyURL: privacy.trim(),
          ...(logo !== fieldsOf(base).logo && { Logo: logo.slice(logo.indexOf(',') + 1) }),
        },
      })}
      labels={labels}
    >
      {(form) => (
        <Card title={t('settings.look')} description={t('settings.lookAbout')}>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
            <div>
              <LookFields form={form} labels={labels} />
            </div>
            <SignInPreview branding={form.values} />
          </SimpleGrid>
        </Card>
      )}
    </TenantForm>
  );
}

type FieldsProps = {
  form: UseFormReturnType<BrandingFields>;
  labels: Record<keyof BrandingFields, string>;
};

function LookFields({ form, labels }: FieldsProps) {
  const { t } = useTexts();
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={labels.name}
        description={t('settings.brandNameAbout')}
        maxLength={64}
      />
      <LogoField form={form} label={labels.logo} />
      <TextInput
        {...form.getInputProps('color')}
        label={labels.color}
        description={t('settings.colorAbout')}
        placeholder="#1c4fc2"
        autoComplete="off"
        spellCheck={false}
        mt="md"
      />
      <TextInput
        {...form.getInputProps('terms')}
        label={labels.terms}
        placeholder="https://example.com/terms"
        inputMode="url"
        mt="md"
      />
      <TextInput
        {...form.getInputProps('privacy')}
        label={labels.privacy}
        placeholder="https://example.com/privacy"
        inputMode="url"
        mt="md"
      />
    </>
  );
}

function LogoField({ form, label }: { form: UseFormReturnType<BrandingFields>; label: string }) {
  const { t } = useTexts();
  const choose = async (file: File | null) => {
    form.clearFieldError('logo');
    if (!file) return form.setFieldValue('logo', '');
    if (file.size > maxLogoBytes) return form.setFieldError('logo', t('settings.logoTooLarge'));
    form.setFieldValue('logo', await readAsUrl(file));
  };
  return (
    <FileInput
      data-path="logo"
      label={label}
      description={t('settings.logoAbout')}
      placeholder={t(form.values.logo === '' ? 'settings.chooseLogo' : 'settings.replaceLogo')}
      error={form.errors['logo']}
      accept="image/png,image/jpeg,image/webp"
      styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
      clearable
      clearButtonProps={{ 'aria-label': t('settings.removeLogo') }}
      onChange={(file) => void choose(file)}
      mt="md"
    />
  );
}

const readAsUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
