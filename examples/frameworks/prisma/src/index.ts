// The generated client loads this only when it is called, which is too late to compile it.
import './compiler.js';
import { PrismaD1 } from '@prisma/adapter-d1';
import { PrismaClient } from './generated/client.ts';

/** Books and their authors, with Prisma and the function's database. `npm run generate` makes the client. */

interface Env {
  DB: D1Database;
}

interface NewBook {
  title: string;
  year: number;
  author: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const prisma = new PrismaClient({ adapter: new PrismaD1(env.DB) });
    const body = await request.json<{ add?: NewBook; since?: number }>();
    if (body.add) {
      const { title, year, author } = body.add;
      await prisma.book.create({
        data: {
          title,
          year,
          author: { connectOrCreate: { where: { name: author }, create: { name: author } } },
        },
      });
    }
    const authors = await prisma.author.findMany({
      orderBy: { name: 'asc' },
      include: {
        books: {
          where: { year: { gte: body.since ?? 0 } },
          orderBy: { year: 'asc' },
          omit: { authorId: true },
        },
      },
    });
    return Response.json({ success: true, data: authors });
  },
};
