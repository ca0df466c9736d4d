import { z } from 'zod';

/** The picture of a page: a screenshot that the service takes of pages that everyone can see. */

export const PICTURE_WIDTH = 1200;
export const PICTURE_HEIGHT = 750;
export const MAX_PAGE_PICTURE_BYTES = 60 * 1024;

export const PagePicture = z.object({
  url: z.string().meta({ description: 'The URL of the picture. Each new picture has another URL.' }),
  width: z.int(),
  height: z.int(),
});
export type PagePicture = z.infer<typeof PagePicture>;

/** `12-mb5k3x1.webp`: the id of the page, and when the picture was taken. */
export const pictureParams = z.object({
  file: z
    .string()
    .regex(/^[1-9]\d{0,14}-[0-9a-z]{1,12}\.webp$/)
    .transform((file) => {
      const [id = '', taken = ''] = file.split(/[-.]/);
      return { pageId: Number(id), takenAt: Number.parseInt(taken, 36) };
    })
    .meta({ type: 'string' }),
});
export const picturePath = (pageId: number, takenAt: number) =>
  `/pictures/${pageId}-${takenAt.toString(36)}.webp`;
