import { TagsInput, TextInput } from '@mantine/core';
import { Card } from '../parts/card.tsx';
import { useTexts } from '../parts/texts.tsx';
import type { SectionProps } from './fields.ts';

/** The name and the addresses of a tenant. */
export function IdentitySection({ form, labels }: SectionProps) {
  const { t } = useTexts();
  return (
    <Card title={t('settings.identity')} description={t('settings.identityAbout')}>
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
    </Card>
  );
}
