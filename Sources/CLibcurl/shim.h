#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic macros, which Swift cannot call: one function for each type.

static inline CURLcode cuecard_curl_set_long(CURL *handle, CURLoption option, long value)
{
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cuecard_curl_set_text(CURL *handle, CURLoption option, const char *value)
{
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cuecard_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value)
{
    return curl_easy_setopt(handle, option, value);
}

/// Sends a copy of the bytes as the body of a POST.
static inline CURLcode cuecard_curl_set_body(CURL *handle, const void *bytes, curl_off_t count)
{
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// The function gets each piece of the answer's body, with the context.
static inline CURLcode cuecard_curl_set_receiver(CURL *handle, curl_write_callback receive, void *context)
{
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    return code ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline long cuecard_curl_get_long(CURL *handle, CURLINFO info)
{
    long value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}
