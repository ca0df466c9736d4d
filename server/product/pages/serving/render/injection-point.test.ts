import { expect, test } from 'bun:test';
import { injectionPoint } from './injection-point.ts';

/** `|` marks the injection point. */
test.each([
  '<!doctype html><html><head>|<title>x</title></head>',
  '<!DOCTYPE html>\n<html lang="en">\n<head>|\n</head>',
  '<!doctype html>|<p>no head',
  '|just text',
  '|',
  '  \n |<script>first()</script>',
  '<html>|<body>',
  '<head>|',
  '<HEAD\n>|',
  '<html data-x="a>b"><head data-y=\'>\'>|',
  '<html a=x"y><head>|',
  '<!-- <head> --><head>|',
  '<!-- --!><head>|',
  '<!--><head>|-->',
  '<!---><head>|-->',
  '|<!-- never closed <head>',
  '<?xml version="1.0"?><!doctype html><head>|',
  '<html>|<html><head>',
  '<!doctype html>|<!doctype html><head>',
  '|<header>not a head</header>',
  '|<headline>',
  '|<html never closed',
  '<html>|<head never closed',
  '|<textarea><head>',
  '|</head><head>',
  '\ufeff<!doctype html><head>|',
  '<html><!-- c -->\n<head>|<meta>',
  '|<svg><head>',
])('%j', (marked) => {
  const html = marked.replace('|', '');
  expect(injectionPoint(html)).toBe(marked.indexOf('|'));
});

test('a long preamble takes time in proportion to its length', () => {
  const comments = '<!-- x -->'.repeat(200_000);
  expect(injectionPoint(`${comments}<head>`)).toBe(comments.length + 6);
  expect(injectionPoint('<!--'.repeat(500_000))).toBe(0);
  expect(injectionPoint(`<html ${'a="'.repeat(500_000)}`)).toBe(0);
});
