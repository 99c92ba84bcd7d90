import { accentColors } from '@bailiwick/texts/accent.ts';
import { palette } from '@bailiwick/texts/face.ts';
import { Group, Stack, Text } from '@mantine/core';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { contrastOf } from './contrast.ts';

export type BrandingFields = {
  name: string;
  color: string;
  /** The address of the stored logo, or a new one as a data URL; '' = none. */
  logo: string;
  terms: string;
  privacy: string;
};

/** The sign-in page with the values of the form, in both schemes. */
export function SignInPreview({ branding }: { branding: BrandingFields }) {
  const { t } = useTexts();
  const contrast = contrastOf(branding.color);
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('settings.preview')}
      </Text>
      <Page branding={branding} scheme="light" />
      <Page branding={branding} scheme="dark" />
      {contrast && (
        <Group gap="xs" role="status">
          <State color={contrast.isEnough ? 'teal.9' : 'red.9'}>{contrast.ratio} : 1</State>
          <Text size="sm">{t(contrast.isEnough ? 'settings.isEnough' : 'settings.isLow')}</Text>
        </Group>
      )}
    </Stack>
  );
}

function Page({ branding, scheme }: { branding: BrandingFields; scheme: keyof typeof palette }) {
  const { t } = useTexts();
  const { Name } = useTenant();
  const { card, text, line, edge, onAccent } = palette[scheme];
  const accents = accentColors(contrastOf(branding.color) ? branding.color : '');
  return (
    <div
      role="img"
      aria-label={t(scheme === 'light' ? 'settings.previewLight' : 'settings.previewDark')}
      style={{ background: card, color: text, border: `1px solid ${line}`, borderRadius: 8 }}
    >
      <Stack p="md" gap="xs">
        {branding.logo !== '' && (
          <img
            src={branding.logo}
            alt=""
            style={{ maxHeight: 40, maxWidth: 160, alignSelf: 'start' }}
          />
        )}
        <span style={{ fontWeight: 600 }}>{branding.name || Name}</span>
        <span style={{ border: `1px solid ${edge}`, borderRadius: 6, padding: '4px 8px' }}>
          ada@example.com
        </span>
        <span
          style={{
            background: accents[scheme],
            color: onAccent,
            borderRadius: 6,
            padding: '4px 8px',
            fontWeight: 600,
            textAlign: 'center',
          }}
        >
          {t('settings.previewButton')}
        </span>
      </Stack>
    </div>
  );
}
