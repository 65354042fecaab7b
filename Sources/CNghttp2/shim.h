#pragma once
// The event loop's system headers are here because Swift's Glibc module leaves them out.
#include <nghttp2/nghttp2.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
